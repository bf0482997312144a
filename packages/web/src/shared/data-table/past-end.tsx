import { Button } from '@mantine/core';
import { useTranslate } from '../../lib/i18n.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { text } from './text.ts';
import type { Paging } from './types.ts';

/** True where a page has no rows and the list may have some: it is not the first, and the list is not known to be empty. */
export const isPastEnd = ({ page, total }: Paging): boolean => page > 1 && total !== 0;

/** In the place of rows behind the last page, where one is once its last row is deleted: the list has others. */
export function PastEnd({ paging: { page, pageSize, total, onPage } }: { paging: Paging }) {
  const t = useTranslate();
  const last = total === null ? page - 1 : Math.min(page - 1, Math.ceil(total / pageSize));
  return (
    <EmptyState
      title={t(text.pastEnd, { page })}
      action={
        <Button variant="default" onClick={() => onPage(last)}>
          {t(text.page, { page: last })}
        </Button>
      }
    />
  );
}

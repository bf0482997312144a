import { Button } from '@mantine/core';
import { isPricedIn, pricedName } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';
import { Notice } from '../../../ui/notice.tsx';
import { formText } from './form-text.ts';

/** More names than these are counted. */
const namesShown = 8;
/** An address has room for so many names. */
const namesLinked = 200;

/** Says which of a channel's models have no price, so that their calls are refused, and leads to pricing them. */
export function UnpricedModels({ models }: { models: readonly string[] }) {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const servesUnpriced = useStatus()?.self_use_mode_enabled ?? false;
  const tables = useQuery({ ...pricesQuery, enabled: models.length > 0 && !servesUnpriced }).data?.tables;
  if (tables === undefined || servesUnpriced) return null;
  const unpriced = [...new Set(models.map(pricedName))].filter((model) => !isPricedIn(tables, model));
  if (unpriced.length === 0) return null;
  const more = unpriced.length - namesShown;
  const names = unpriced.slice(0, namesShown).join(', ');
  return (
    <Notice
      tone="warn"
      role="status"
      actions={
        isRoot && (
          <Button
            component="a"
            href={`/prices?${new URLSearchParams({ names: unpriced.slice(0, namesLinked).join(',') })}`}
            // The form keeps what was typed.
            target="_blank"
            rel="noreferrer"
            size="compact-sm"
            variant="default"
          >
            {t(formText.setPrices)}
          </Button>
        )
      }
    >
      {t(formText.unpriced, { count: unpriced.length, total: models.length })}{' '}
      {more > 0 ? t(formText.andMore, { names, more }) : names}
    </Notice>
  );
}

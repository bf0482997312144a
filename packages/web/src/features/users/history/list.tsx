import { Button, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import classes from './history.module.css';
import { historyText } from './text.ts';

interface HistoryListProps<Row> {
  title: string;
  query: { error: Error | null; refetch: () => unknown };
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string | number;
  render: (row: Row) => ReactNode;
  empty: string;
  /** Fetches older rows; undefined if there are none. */
  onMore?: (() => void) | undefined;
  isBusy?: boolean;
  /** Actions on all rows. */
  action?: ReactNode;
}

/** One part of the history, newest first. */
export function HistoryList<Row>(props: HistoryListProps<Row>) {
  const { title, query, rows, rowId, render, empty, onMore, isBusy = false, action } = props;
  const t = useTranslate();
  return (
    <FormSection title={title}>
      {rows === undefined && query.error && <LoadError error={query.error} onRetry={query.refetch} />}
      {rows === undefined && !query.error && <Skeleton height={70} />}
      {rows?.length === 0 && <span className={classes.quiet}>{empty}</span>}
      {rows && rows.length > 0 && (
        <ul className={classes.list} aria-label={title}>
          {rows.map((row) => (
            <li key={rowId(row)} className={classes.item}>
              {render(row)}
            </li>
          ))}
        </ul>
      )}
      {onMore && (
        <Button variant="default" size="xs" loading={isBusy} onClick={onMore}>
          {t(historyText.more)}
        </Button>
      )}
      {action}
    </FormSection>
  );
}

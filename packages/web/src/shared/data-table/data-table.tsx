import { useMediaQuery } from '@mantine/hooks';
import { useDeferredValue, type ReactNode, type Ref } from 'react';
import { phoneQuery } from '../../lib/screen.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { LoadError } from '../state/load-error.tsx';
import { CardRows } from './card-rows.tsx';
import classes from './data-table.module.css';
import { Pager } from './pager.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';
import { TableRows } from './table-rows.tsx';
import { text } from './text.ts';
import type { Column, Paging, Selection, Sorting, Unfolded, ViewOption } from './types.ts';
import { useTableModel } from './use-table-model.ts';
import { ViewMenu } from './view-menu.tsx';
import { Button } from '@mantine/core';
import { EmptyState } from '../../ui/empty-state.tsx';

/**
 * True if a page is empty and the list may have rows: it is not the first page, and the list is not known to be empty.
 */
const isPastEnd = ({ page, total }: Paging): boolean => page > 1 && total !== 0;

/** Shown on a page behind the last one, which happens after its last row is deleted: the list has other rows. */
function PastEnd({ paging: { page, pageSize, total, onPage } }: { paging: Paging }) {
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

export interface DataTableProps<Row> {
  /** Table name in local storage and for screen readers. */
  name: string;
  label: string;
  /** Must keep its identity between renders (a constant, or memoised). */
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
  /** The query of the list, from TanStack Query. */
  query: { data: Row[] | undefined; error: Error | null; isFetching: boolean; refetch: () => unknown };
  paging?: Paging;
  /** Set if the list can be sorted by its columns. */
  sorting?: Sorting | undefined;
  selection?: Selection;
  /** The expanded content of a row. */
  expand?: (row: Row) => ReactNode;
  unfolded?: Unfolded;
  /** The child rows of a row, in the same columns. */
  inner?: ((row: Row) => readonly Row[]) | undefined;
  /** Disabled rows. */
  faded?: (row: Row) => boolean;
  /** Shown without rows. */
  empty: ReactNode;
  /** Filters and batch buttons above the rows; the column settings come last. */
  toolbar?: ReactNode;
  /** Switches of the view menu. */
  options?: readonly ViewOption[];
  /** Between the filters and the rows: progress of a batch. */
  notice?: ReactNode;
  /** Without filters and column settings. */
  bare?: boolean;
}

const noRows: never[] = [];

interface NoRowsProps extends Pick<DataTableProps<never>, 'empty' | 'paging'> {
  query: Pick<DataTableProps<unknown[]>['query'], 'error' | 'refetch'> & { data: unknown };
  columns: readonly Pick<Column<unknown>, 'id' | 'title'>[];
  frameRef: Ref<HTMLDivElement>;
}

/** Shown instead of rows: a load error, a skeleton, or the empty state. */
function NoRows({ query, columns, frameRef, empty, paging }: NoRowsProps) {
  const t = useTranslate();
  if (query.data !== undefined) return paging && isPastEnd(paging) ? <PastEnd paging={paging} /> : empty;
  if (query.error) return <LoadError error={query.error} onRetry={query.refetch} />;
  return <SkeletonRows columns={columns} frameRef={frameRef} label={t(text.loading)} />;
}

/** The table of all lists: skeleton, error, empty state, rows or cards, paging. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    name,
    label,
    columns,
    rowId,
    query,
    paging,
    sorting,
    selection,
    expand,
    unfolded,
    inner,
    faded,
    toolbar,
    options = [],
    notice,
    bare = false,
  } = props;
  const isPhone = useMediaQuery(phoneQuery, undefined, { getInitialValueInEffect: false }) ?? false;
  // New rows are rendered in slices, between which the browser answers the user.
  const data = useDeferredValue(query.data);
  const rows = data ?? noRows;
  const { table, frameRef } = useTableModel({
    name,
    columns,
    rows,
    rowId,
    selection,
    unfolded,
  });
  const Rows = isPhone ? CardRows : TableRows;

  return (
    <div className={classes.fetching} data-busy={(query.isFetching && query.data !== undefined) || undefined}>
      {!bare && (
        <div className={classes.toolbar}>
          {toolbar}
          <ViewMenu
            name={name}
            columns={columns}
            table={table}
            hasFilters={toolbar !== undefined}
            options={options}
          />
        </div>
      )}
      {notice}
      {rows.length > 0 ? (
        <Rows
          label={label}
          table={table}
          frameRef={frameRef}
          selectable={selection !== undefined}
          expand={expand}
          inner={inner && { of: inner, id: rowId }}
          faded={faded}
          sorting={sorting}
        />
      ) : (
        <NoRows
          {...props}
          query={{ ...query, data }}
          columns={isPhone ? [] : table.shown}
          frameRef={frameRef}
        />
      )}
      {paging && (rows.length > 0 || paging.page > 1) && <Pager paging={paging} shown={rows.length} />}
    </div>
  );
}

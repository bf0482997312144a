import {
  type ColumnDef,
  columnVisibilityFeature,
  type Row,
  type RowData,
  rowExpandingFeature,
  rowSelectionFeature,
  type RowSelectionState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { columnChoice } from '../../lib/storage.ts';
import type { Column, Selection, Unfolded } from './types.ts';
import { useFit } from './use-fit.ts';
import type { ExpandedState, Updater } from '@tanstack/react-table';

/** Which rows of a table are unfolded; a page that keeps the newest in its address finds it open again. */
function useExpandedRows(unfolded: Unfolded | undefined) {
  const [expanded, setExpanded] = useState<ExpandedState>(() =>
    unfolded?.id ? { [unfolded.id]: true } : {},
  );
  const onChange = (updater: Updater<ExpandedState>) => {
    const next = typeof updater === 'function' ? updater(expanded) : updater;
    setExpanded(next);
    unfolded?.onChange(newestOf(expanded, next, unfolded.id));
  };
  return { expanded, onChange };
}

/** The row that a click has unfolded; where it folded one, the one that was known before and still is unfolded. */
function newestOf(before: ExpandedState, next: ExpandedState, known: string): string {
  const was = before === true ? {} : before;
  const is = next === true ? {} : next;
  return Object.keys(is).find((id) => is[id] && !was[id]) ?? (is[known] ? known : '');
}

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature, rowExpandingFeature });
export type Features = typeof features;

interface ModelOptions<Row extends RowData> {
  name: string;
  columns: readonly Column<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  selection: Selection | undefined;
  unfolded: Unfolded | undefined;
}

const none: ReadonlySet<string> = new Set();

/** Rows, columns, ticks and unfolded rows of a table, on TanStack Table; what is shown of it is `DataTable`. */
export function useTableModel<Row extends RowData>({
  name,
  columns,
  rows,
  rowId,
  selection,
  unfolded,
}: ModelOptions<Row>) {
  const unfolding = useExpandedRows(unfolded);
  const choice = columnChoice(name);
  const chosen = choice.use();
  const { frameRef, unfit } = useFit(columns, chosen, rows);

  const columnVisibility = useMemo(
    () =>
      Object.fromEntries(
        columns.map(({ id, hidden = false }) => [id, chosen[id] ?? !(hidden || unfit.includes(id))]),
      ),
    [columns, chosen, unfit],
  );
  const rowSelection = useMemo(
    () => Object.fromEntries([...(selection?.ids ?? none)].map((id) => [id, true as const])),
    [selection?.ids],
  );
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<Features, Row> => ({
        id: column.id,
        enableHiding: !column.fixed,
        cell: (context) => column.render(context.row.original),
      })),
    [columns],
  );

  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    state: { columnVisibility, rowSelection, expanded: unfolding.expanded },
    enableRowSelection: selection !== undefined,
    getRowCanExpand: () => true,
    // What a person unfolded stays open while its row changes.
    autoResetExpanded: false,
    onExpandedChange: unfolding.onChange,
    onRowSelectionChange: (updater) => {
      const next: RowSelectionState = typeof updater === 'function' ? updater(rowSelection) : updater;
      selection?.onChange(new Set(Object.keys(next)));
    },
    onColumnVisibilityChange: (updater) => {
      const next = typeof updater === 'function' ? updater(columnVisibility) : updater;
      // Only what differs is a choice: a column that is hidden for want of room comes back with it.
      const changed = Object.entries(next).filter(([id, shown]) => shown !== columnVisibility[id]);
      choice.set({ ...chosen, ...Object.fromEntries(changed) });
    },
  });
  return { table, frameRef, resetColumns: () => choice.set(undefined) };
}

export type TableModel<Row extends RowData> = ReturnType<typeof useTableModel<Row>>['table'];

/** A row of it, with what was ticked and unfolded. */
export type TableRowModel<Data extends RowData> = Row<Features, Data>;

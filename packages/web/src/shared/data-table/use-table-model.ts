import { useMemo, useState } from 'react';
import { columnChoice } from '../../lib/storage.ts';
import type { Column, Selection, Unfolded } from './types.ts';
import { useFit } from './use-fit.ts';

/** A row of a table with its state: ticked, expanded. */
export interface TableRow<Row> {
  id: string;
  data: Row;
  isTicked: boolean;
  isUnfolded: boolean;
  tick: () => void;
  unfold: () => void;
}

/** The expanded rows of a table; a page that keeps the last one in its address restores it. */
function useUnfolded(known: Unfolded | undefined) {
  const [open, setOpen] = useState<readonly string[]>(() => (known?.id ? [known.id] : []));
  const toggle = (id: string) => {
    const isOpen = open.includes(id);
    const left = open.filter((each) => each !== id);
    setOpen(isOpen ? left : [...left, id]);
    if (!isOpen) known?.onChange(id);
    // Collapsing keeps the row in the address, unless it is this one.
    else if (known?.id === id) known.onChange('');
  };
  return { open, toggle };
}

interface ModelOptions<Row> {
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selection: Selection | undefined;
  unfolded: Unfolded | undefined;
}

const none: ReadonlySet<string> = new Set();

/** The shown columns of a table, and its rows with their ticks; `DataTable` renders them. */
export function useTableModel<Row>({ name, columns, rows, rowId, selection, unfolded }: ModelOptions<Row>) {
  const { open, toggle } = useUnfolded(unfolded);
  const choice = columnChoice(name);
  const chosen = choice.use();
  const { frameRef, unfit, drawn } = useFit(columns, chosen, rows);
  const shown = useMemo(
    () => columns.filter(({ id, hidden = false }) => chosen[id] ?? !(hidden || unfit.includes(id))),
    [columns, chosen, unfit],
  );

  const ids = selection?.ids ?? none;
  const tick = (wanted: readonly string[], ticked: boolean) => {
    const others = [...ids].filter((id) => !wanted.includes(id));
    selection?.onChange(new Set(ticked ? [...others, ...wanted] : others));
  };
  const tableRows = drawn.map((data): TableRow<Row> => {
    const id = rowId(data);
    const isTicked = ids.has(id);
    return {
      id,
      data,
      isTicked,
      isUnfolded: open.includes(id),
      tick: () => tick([id], !isTicked),
      unfold: () => toggle(id),
    };
  });
  const ticked = tableRows.filter(({ isTicked }) => isTicked).length;
  const isAllTicked = ticked > 0 && ticked === tableRows.length;

  const table = {
    rows: tableRows,
    /** Rows that follow in the next render. */
    waiting: rows.length - drawn.length,
    shown,
    isAllTicked,
    isSomeTicked: ticked > 0 && !isAllTicked,
    /** Ticks or unticks all rows of this page; rows of other pages do not change. */
    tickAll: () =>
      tick(
        tableRows.map(({ id }) => id),
        !isAllTicked,
      ),
    /** Only a difference is a choice: a column that is hidden for lack of width returns with more width. */
    toggleColumn: (id: string) => choice.set({ ...chosen, [id]: !shown.some((each) => each.id === id) }),
    resetColumns: () => choice.set(undefined),
  };
  return { table, frameRef };
}

export type TableModel<Row> = ReturnType<typeof useTableModel<Row>>['table'];

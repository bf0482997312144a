import { useCallback } from 'react';
import { pageParam, textParam } from '../url-state/params.ts';
import { useUrlState } from '../url-state/use-url-state.ts';
import type { Column, Sorting } from './types.ts';

const search = { sort: textParam(), p: pageParam };

/** Compares numbers by size, names without case, and digits in names by value. */
const compare = (one: number | string, other: number | string): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true, sensitivity: 'base' });

/**
 * Sorts a completely loaded list by the column in the address (`sort`), by that column's `value`.
 *
 * @returns a function that sorts rows, and leaves them unchanged without a known column; and the props of `DataTable`
 */
export function useSorted<Row>(
  columns: readonly Column<Row>[],
): [order: (rows: readonly Row[]) => Row[], sorting: Sorting] {
  const [{ sort }, setSearch] = useUrlState(search);
  const order = useCallback(
    (rows: readonly Row[]) => {
      const value = columns.find((column) => column.sort === sort.replace(/^-/, ''))?.value;
      if (!value) return [...rows];
      const sign = sort.startsWith('-') ? -1 : 1;
      return rows.toSorted((one, other) => sign * compare(value(one), value(other)));
    },
    [columns, sort],
  );
  return [order, { value: sort, onChange: (next) => setSearch({ sort: next, p: 1 }) }];
}

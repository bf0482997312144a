import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import { directionOf, nextSort } from './next-sort.ts';
import type { Column, Sorting } from './types.ts';

interface SortHeadProps<Row> {
  column: Column<Row>;
  sorting: Sorting | undefined;
}

/** A column's title; where the list can be ordered by it, a button that does so. */
export function SortHead<Row>({ column, sorting }: SortHeadProps<Row>) {
  const t = useTranslate();
  const { sort, align, title } = column;
  if (!sorting || sort === undefined) return t(title);
  const direction = directionOf(sort, sorting.value);
  const Icon = direction === null ? ArrowUpDown : direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      className={classes.sort}
      data-active={direction !== null || undefined}
      onClick={() => sorting.onChange(nextSort(sort, sorting.value, align === 'end'))}
    >
      {t(title)}
      <Icon size={13} aria-hidden="true" />
    </button>
  );
}

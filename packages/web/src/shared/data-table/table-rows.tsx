import { Checkbox } from '@mantine/core';
import { memo, type ReactNode, type Ref } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import { text } from './text.ts';
import type { Column, InnerRows, Sorting } from './types.ts';
import { ExpandButton } from './expand-button.tsx';
import type { TableModel, TableRow } from './use-table-model.ts';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';

/** Current sort direction of a column; null if the list is not sorted by it. */
export function directionOf(sort: string, value: string): 'ascending' | 'descending' | null {
  if (value === sort) return 'ascending';
  return value === `-${sort}` ? 'descending' : null;
}

/**
 * The sort after a click on a column's header: first its usual direction, then the other, then the list's default.
 *
 * @param largestFirst - numbers start with the largest, names with the first
 */
export function nextSort(sort: string, value: string, largestFirst: boolean): string {
  const [first, second] = largestFirst ? [`-${sort}`, sort] : [sort, `-${sort}`];
  if (value === first) return second ?? '';
  return value === second ? '' : (first ?? '');
}

interface SortHeadProps<Row> {
  column: Column<Row>;
  sorting: Sorting | undefined;
}

/** A column's title; a button if the list can be sorted by it. */
function SortHead<Row>({ column, sorting }: SortHeadProps<Row>) {
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

export interface RowsProps<Row> {
  label: string;
  table: TableModel<Row>;
  frameRef: Ref<HTMLDivElement>;
  selectable: boolean;
  expand: ((row: Row) => ReactNode) | undefined;
  inner: InnerRows<Row> | undefined;
  faded: ((row: Row) => boolean) | undefined;
  sorting?: Sorting | undefined;
}

interface CellProps<Row> {
  row: Row;
  column: Column<Row>;
}

function PlainCell<Row>({ row, column }: CellProps<Row>) {
  return (
    <td data-align={column.align} data-role={column.role} data-fills={column.fills}>
      {column.render(row)}
    </td>
  );
}

/**
 * A row renders again only if its data changed: otherwise a hundred rows with fields and menus would delay each tick of a
 * box and each hidden column. Unchanged rows are the same objects (TanStack Query).
 */
const Cell = memo(PlainCell) as typeof PlainCell;

/** The `aria-sort` of a header; undefined for columns that cannot be sorted. */
function sortOf<Row>({ sort }: Column<Row>, sorting: Sorting | undefined) {
  if (!sorting || sort === undefined) return undefined;
  return directionOf(sort, sorting.value) ?? 'none';
}

/** Whether rows can expand. */
const isUnfolding = ({ expand, inner }: { expand: unknown; inner: unknown }) =>
  expand !== undefined || inner !== undefined;

/** Rows as a table. */
export function TableRows<Row>(props: RowsProps<Row>) {
  const { label, table, frameRef, selectable, expand, inner, faded } = props;
  return (
    <div className={classes.scroll} ref={frameRef}>
      <table className={classes.table} aria-label={label}>
        <TableHead {...props} />
        <tbody>
          {table.rows.map((row) => (
            <TableLine
              key={row.id}
              row={row}
              columns={table.shown}
              selectable={selectable}
              expand={expand}
              inner={inner}
              faded={faded}
            />
          ))}
        </tbody>
      </table>
      {table.waiting > 0 && <div style={{ height: `calc(${table.waiting} * var(--tg-row-height))` }} />}
    </div>
  );
}

function TableHead<Row>(props: RowsProps<Row>) {
  const { table, selectable, sorting } = props;
  const t = useTranslate();
  return (
    <thead>
      <tr>
        {isUnfolding(props) && <td className={classes.tick} />}
        {selectable && (
          <td className={classes.tick}>
            <Checkbox
              size="xs"
              aria-label={t(text.selectAll)}
              checked={table.isAllTicked}
              indeterminate={table.isSomeTicked}
              onChange={table.tickAll}
            />
          </td>
        )}
        {table.shown.map((column) => (
          <th
            key={column.id}
            scope="col"
            data-column={column.id}
            data-align={column.align}
            data-role={column.role}
            data-fills={column.fills}
            aria-sort={sortOf(column, sorting)}
            style={column.width === undefined ? undefined : { width: column.width }}
          >
            <SortHead column={column} sorting={sorting} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface TableLineProps<Row> extends Pick<RowsProps<Row>, 'selectable' | 'expand' | 'inner' | 'faded'> {
  row: TableRow<Row>;
  columns: readonly Column<Row>[];
}

/** A row and its expanded content: its own content, or child rows in the aligned columns of the table. */
function TableLine<Row>(props: TableLineProps<Row>) {
  const { row, columns, selectable, expand, inner, faded } = props;
  const t = useTranslate();
  return (
    <>
      <tr
        className={classes.row}
        data-selected={row.isTicked || undefined}
        data-faded={faded?.(row.data) || undefined}
      >
        {isUnfolding(props) && (
          <td className={classes.tick}>
            <ExpandButton row={row} size="sm" />
          </td>
        )}
        {selectable && (
          <td className={classes.tick}>
            <input
              type="checkbox"
              className={classes.box}
              aria-label={t(text.selectRow)}
              checked={row.isTicked}
              onChange={row.tick}
            />
          </td>
        )}
        {columns.map((column) => (
          <Cell key={column.id} row={row.data} column={column} />
        ))}
      </tr>
      {inner &&
        row.isUnfolded &&
        inner.of(row.data).map((each) => (
          <tr key={inner.id(each)} className={classes.inner} data-faded={faded?.(each) || undefined}>
            <td className={classes.tick} />
            {columns.map((column) => (
              <Cell key={column.id} row={each} column={column} />
            ))}
          </tr>
        ))}
      {expand && row.isUnfolded && (
        <tr className={classes.unfolded}>
          <td colSpan={columns.length + (selectable ? 1 : 0) + 1}>
            <div className={classes.unfoldedBody}>{expand(row.data)}</div>
          </td>
        </tr>
      )}
    </>
  );
}

import type { RowData } from '@tanstack/react-table';
import { Checkbox } from '@mantine/core';
import { memo, type ReactNode, type Ref } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import { text } from './text.ts';
import { directionOf } from './next-sort.ts';
import { SortHead } from './sort-head.tsx';
import type { Column, InnerRows, Sorting } from './types.ts';
import { ExpandButton } from './expand-button.tsx';
import type { TableModel, TableRowModel } from './use-table-model.ts';

export interface RowsProps<Row extends RowData> {
  label: string;
  columns: readonly Column<Row>[];
  table: TableModel<Row>;
  frameRef: Ref<HTMLDivElement>;
  selectable: boolean;
  expand: ((row: Row) => ReactNode) | undefined;
  inner: InnerRows<Row> | undefined;
  faded: ((row: Row) => boolean) | undefined;
  sorting?: Sorting | undefined;
}

interface CellsProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
}

function PlainCells<Row>({ row, columns }: CellsProps<Row>): ReactNode {
  return columns.map((column) => (
    <td key={column.id} data-align={column.align} data-role={column.role} data-fills={column.fills}>
      {column.render(row)}
    </td>
  ));
}

/**
 * What a row shows is drawn again only when the row or its columns changed: a hundred rows with fields and menus would
 * otherwise answer each tick of a box with a pause. Rows that came again unchanged are the same objects (TanStack Query).
 */
const Cells = memo(
  PlainCells,
  (before, after) =>
    before.row === after.row &&
    before.columns.length === after.columns.length &&
    before.columns.every((column, index) => column === after.columns[index]),
) as typeof PlainCells;

/** The `aria-sort` of a header; undefined for columns that cannot be sorted. */
function sortOf<Row>({ sort }: Column<Row>, sorting: Sorting | undefined) {
  if (!sorting || sort === undefined) return undefined;
  return directionOf(sort, sorting.value) ?? 'none';
}

/** Whether rows have something to unfold. */
const isUnfolding = <Row extends RowData>({ expand, inner }: Pick<RowsProps<Row>, 'expand' | 'inner'>) =>
  expand !== undefined || inner !== undefined;

/** Rows as a table. */
export function TableRows<Row extends RowData>(props: RowsProps<Row>) {
  const { label, columns, table, frameRef, selectable, expand, inner, faded } = props;
  const shown = columns.filter((column) => table.getColumn(column.id)?.getIsVisible());
  return (
    <div className={classes.scroll} ref={frameRef}>
      <table className={classes.table} aria-label={label}>
        <TableHead {...props} columns={shown} />
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <TableRow
              key={row.id}
              row={row}
              columns={shown}
              selectable={selectable}
              expand={expand}
              inner={inner}
              faded={faded}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TableHead<Row extends RowData>(props: RowsProps<Row>) {
  const { columns, table, selectable, sorting } = props;
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
              checked={table.getIsAllPageRowsSelected()}
              indeterminate={table.getIsSomePageRowsSelected() && !table.getIsAllPageRowsSelected()}
              onChange={table.getToggleAllPageRowsSelectedHandler()}
            />
          </td>
        )}
        {columns.map((column) => (
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

interface TableRowProps<Row extends RowData> extends Pick<
  RowsProps<Row>,
  'columns' | 'selectable' | 'expand' | 'inner' | 'faded'
> {
  row: TableRowModel<Row>;
}

/** A row, and below it what it unfolds: something of its own, or rows in the columns of the table, which align. */
function TableRow<Row extends RowData>(props: TableRowProps<Row>) {
  const { row, columns, selectable, expand, inner, faded } = props;
  const t = useTranslate();
  return (
    <>
      <tr
        className={classes.row}
        data-selected={row.getIsSelected() || undefined}
        data-faded={faded?.(row.original) || undefined}
      >
        {isUnfolding(props) && (
          <td className={classes.tick}>
            <ExpandButton row={row} size="sm" />
          </td>
        )}
        {selectable && (
          <td className={classes.tick}>
            <Checkbox
              size="xs"
              aria-label={t(text.selectRow)}
              checked={row.getIsSelected()}
              onChange={row.getToggleSelectedHandler()}
            />
          </td>
        )}
        <Cells row={row.original} columns={columns} />
      </tr>
      {inner &&
        row.getIsExpanded() &&
        inner.of(row.original).map((each) => (
          <tr key={inner.id(each)} className={classes.inner} data-faded={faded?.(each) || undefined}>
            <td className={classes.tick} />
            <Cells row={each} columns={columns} />
          </tr>
        ))}
      {expand && row.getIsExpanded() && (
        <tr className={classes.unfolded}>
          <td colSpan={columns.length + (selectable ? 1 : 0) + 1}>
            <div className={classes.unfoldedBody}>{expand(row.original)}</div>
          </td>
        </tr>
      )}
    </>
  );
}

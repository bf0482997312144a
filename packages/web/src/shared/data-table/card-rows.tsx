import type { RowData } from '@tanstack/react-table';
import { Checkbox } from '@mantine/core';
import { Fragment } from 'react';
import { useSay } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import type { RowsProps } from './table-rows.tsx';
import { text } from './text.ts';
import { UnfoldButton } from './unfold-button.tsx';
import type { TableRowModel } from './use-table-model.ts';

/** The columns by the place they have on a card. */
function placesOf<Row extends RowData>({ columns, table }: RowsProps<Row>) {
  const shown = columns.filter((column) => table.getColumn(column.id)?.getIsVisible());
  return {
    title: shown.find((column) => column.role === 'title'),
    actions: shown.find((column) => column.role === 'actions'),
    corner: shown.filter((column) => column.card === 'corner'),
    line: shown.filter((column) => column.card === 'line'),
    facts: shown.filter((column) => column.role === undefined && column.card === undefined),
  };
}

/** The same rows on a phone: a card each, with the title above, the facts below and the actions at the end. */
export function CardRows<Row extends RowData>(props: RowsProps<Row>) {
  const { label, table, selectable, expand, faded } = props;
  const places = placesOf(props);
  return (
    <div className={classes.cards} role="list" aria-label={label}>
      {table.getRowModel().rows.map((row) => (
        <div
          key={row.id}
          role="listitem"
          className={classes.card}
          data-selected={row.getIsSelected() || undefined}
          data-faded={faded?.(row.original) || undefined}
        >
          <CardHead row={row} places={places} selectable={selectable} isUnfolding={expand !== undefined} />
          <CardFacts row={row.original} places={places} />
          {places.actions && <div className={classes.cardActions}>{places.actions.render(row.original)}</div>}
          {expand && row.getIsExpanded() && expand(row.original)}
        </div>
      ))}
    </div>
  );
}

type Places<Row extends RowData> = ReturnType<typeof placesOf<Row>>;

interface CardHeadProps<Row extends RowData> {
  row: TableRowModel<Row>;
  places: Places<Row>;
  selectable: boolean;
  isUnfolding: boolean;
}

function CardHead<Row extends RowData>({ row, places, selectable, isUnfolding }: CardHeadProps<Row>) {
  const say = useSay();
  return (
    <div className={classes.cardHead}>
      {selectable && (
        <Checkbox
          size="xs"
          aria-label={say(text.selectRow)}
          checked={row.getIsSelected()}
          onChange={row.getToggleSelectedHandler()}
        />
      )}
      <div className={classes.cardTitle}>{places.title?.render(row.original)}</div>
      {places.corner.map((column) => (
        <div key={column.id} className={classes.cardCorner}>
          {column.render(row.original)}
        </div>
      ))}
      {isUnfolding && <UnfoldButton row={row} />}
    </div>
  );
}

function CardFacts<Row extends RowData>({ row, places }: { row: Row; places: Places<Row> }) {
  const say = useSay();
  return (
    <>
      {places.line.length > 0 && (
        <div className={classes.cardLine}>
          {places.line.map((column) => (
            <span key={column.id}>{column.render(row)}</span>
          ))}
        </div>
      )}
      <dl className={classes.facts}>
        {places.facts.map((column) => (
          <Fragment key={column.id}>
            <dt>{say(column.title)}</dt>
            <dd>{column.render(row)}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

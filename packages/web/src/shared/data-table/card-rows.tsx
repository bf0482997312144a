import type { RowData } from '@tanstack/react-table';
import { Checkbox } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import type { RowsProps } from './table-rows.tsx';
import { text } from './text.ts';
import { ExpandButton } from './expand-button.tsx';
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

/**
 * The same rows on a phone: a card of two lines each. Its other facts and its actions come when it is unfolded, so that a
 * thumb passes ten rows, not three.
 */
export function CardRows<Row extends RowData>(props: RowsProps<Row>) {
  const { label, table, selectable, expand, inner, faded } = props;
  const places = placesOf(props);
  const isUnfolding = places.facts.length > 0 || places.actions || expand || inner;
  return (
    <div className={classes.cards} role="list" aria-label={label} data-cards>
      {table.getRowModel().rows.map((row) => (
        <div
          key={row.id}
          role="listitem"
          className={classes.card}
          data-selected={row.getIsSelected() || undefined}
          data-faded={faded?.(row.original) || undefined}
        >
          <div className={classes.cardHead}>
            {selectable && <RowTick row={row} />}
            <CardTitle row={row.original} places={places} />
            {isUnfolding && <ExpandButton row={row} />}
          </div>
          <CardLine row={row.original} places={places} />
          {row.getIsExpanded() && <CardFacts row={row.original} places={places} />}
          {inner && row.getIsExpanded() && (
            <div className={classes.innerCards} role="list">
              {inner.of(row.original).map((each) => (
                <div
                  key={inner.id(each)}
                  role="listitem"
                  className={classes.card}
                  data-faded={faded?.(each) || undefined}
                >
                  <div className={classes.cardHead}>
                    <CardTitle row={each} places={places} />
                  </div>
                  <CardLine row={each} places={places} />
                  <CardFacts row={each} places={places} />
                </div>
              ))}
            </div>
          )}
          {expand && row.getIsExpanded() && expand(row.original)}
        </div>
      ))}
    </div>
  );
}

type Places<Row extends RowData> = ReturnType<typeof placesOf<Row>>;

function RowTick<Row extends RowData>({ row }: { row: TableRowModel<Row> }) {
  const t = useTranslate();
  return (
    <Checkbox
      size="xs"
      aria-label={t(text.selectRow)}
      checked={row.getIsSelected()}
      onChange={row.getToggleSelectedHandler()}
    />
  );
}

interface CardPartProps<Row extends RowData> {
  row: Row;
  places: Places<Row>;
}

function CardTitle<Row extends RowData>({ row, places }: CardPartProps<Row>) {
  return (
    <>
      <div className={classes.cardTitle}>{places.title?.render(row)}</div>
      {places.corner.map((column) => (
        <div key={column.id} className={classes.cardCorner}>
          {column.render(row)}
        </div>
      ))}
    </>
  );
}

/** What there is to say in one line; figures have their name, without which they could be any. */
function CardLine<Row extends RowData>({ row, places }: CardPartProps<Row>) {
  const t = useTranslate();
  if (places.line.length === 0) return null;
  return (
    <div className={classes.cardLine}>
      {places.line.map((column) => (
        <span key={column.id}>
          {column.align === 'end' && (
            <span className={classes.figureName}>{t(column.titleOn?.(row) ?? column.title)} </span>
          )}
          {column.render(row)}
        </span>
      ))}
    </div>
  );
}

function CardFacts<Row extends RowData>({ row, places }: CardPartProps<Row>) {
  const t = useTranslate();
  return (
    <>
      <dl className={classes.facts}>
        {places.facts.map((column) => (
          <Fragment key={column.id}>
            <dt>{t(column.titleOn?.(row) ?? column.title)}</dt>
            <dd>{column.render(row)}</dd>
          </Fragment>
        ))}
      </dl>
      {places.actions && <div className={classes.cardActions}>{places.actions.render(row)}</div>}
    </>
  );
}

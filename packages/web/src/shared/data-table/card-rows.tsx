import { Checkbox } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import type { RowsProps } from './table-rows.tsx';
import { text } from './text.ts';
import { ExpandButton } from './expand-button.tsx';
import type { TableModel, TableRow } from './use-table-model.ts';

/** The columns by their position on a card. */
function placesOf<Row>({ shown }: TableModel<Row>) {
  return {
    title: shown.find((column) => column.role === 'title'),
    actions: shown.find((column) => column.role === 'actions'),
    corner: shown.filter((column) => column.card === 'corner'),
    line: shown.filter((column) => column.card === 'line'),
    facts: shown.filter((column) => column.role === undefined && column.card === undefined),
  };
}

/**
 * The rows on a phone: cards of two lines each. Other facts and actions appear when a card is expanded, so that more rows
 * fit on the screen.
 */
export function CardRows<Row>(props: RowsProps<Row>) {
  const { label, table, selectable, expand, inner, faded } = props;
  const places = placesOf(table);
  const isUnfolding = places.facts.length > 0 || places.actions || expand || inner;
  return (
    <div className={classes.cards} role="list" aria-label={label} data-cards>
      {table.rows.map((row) => (
        <div
          key={row.id}
          role="listitem"
          className={classes.card}
          data-selected={row.isTicked || undefined}
          data-faded={faded?.(row.data) || undefined}
        >
          <div className={classes.cardHead}>
            {selectable && <RowTick row={row} />}
            <CardTitle row={row.data} places={places} />
            {isUnfolding && <ExpandButton row={row} />}
          </div>
          <CardLine row={row.data} places={places} />
          {row.isUnfolded && <CardFacts row={row.data} places={places} />}
          {inner && row.isUnfolded && (
            <div className={classes.innerCards} role="list">
              {inner.of(row.data).map((each) => (
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
          {expand && row.isUnfolded && expand(row.data)}
        </div>
      ))}
    </div>
  );
}

type Places<Row> = ReturnType<typeof placesOf<Row>>;

function RowTick<Row>({ row }: { row: TableRow<Row> }) {
  const t = useTranslate();
  return <Checkbox size="xs" aria-label={t(text.selectRow)} checked={row.isTicked} onChange={row.tick} />;
}

interface CardPartProps<Row> {
  row: Row;
  places: Places<Row>;
}

function CardTitle<Row>({ row, places }: CardPartProps<Row>) {
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

/** Facts that fit in one line; numbers have their label, because they are ambiguous without it. */
function CardLine<Row>({ row, places }: CardPartProps<Row>) {
  const t = useTranslate();
  if (places.line.length === 0) return null;
  return (
    <div className={classes.cardLine}>
      {places.line.map((column) => (
        <span key={column.id} data-fills={column.fills}>
          {column.align === 'end' && (
            <span className={classes.figureName}>{t(column.titleOn?.(row) ?? column.title)} </span>
          )}
          {column.render(row)}
        </span>
      ))}
    </div>
  );
}

function CardFacts<Row>({ row, places }: CardPartProps<Row>) {
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

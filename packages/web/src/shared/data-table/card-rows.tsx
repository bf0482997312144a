import type { RowData } from '@tanstack/react-table';
import { ActionIcon, Checkbox } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { useSay } from '../../lib/i18n.ts';
import classes from './data-table.module.css';
import type { RowsProps } from './table-rows.tsx';
import { text } from './text.ts';

/** The same rows on a phone: a card each, with the title above, the facts below and the actions at the end. */
export function CardRows<Row extends RowData>({
  label,
  columns,
  table,
  selectable,
  expand,
  faded,
}: RowsProps<Row>) {
  const say = useSay();
  const shown = columns.filter((column) => table.getColumn(column.id)?.getIsVisible());
  const title = shown.find((column) => column.role === 'title');
  const actions = shown.find((column) => column.role === 'actions');
  const corner = shown.filter((column) => column.card === 'corner');
  const line = shown.filter((column) => column.card === 'line');
  const facts = shown.filter((column) => column.role === undefined && column.card === undefined);
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
          <div className={classes.cardHead}>
            {selectable && (
              <Checkbox
                size="xs"
                aria-label={say(text.selectRow)}
                checked={row.getIsSelected()}
                onChange={row.getToggleSelectedHandler()}
              />
            )}
            <div className={classes.cardTitle}>{title?.render(row.original)}</div>
            {corner.map((column) => (
              <div key={column.id} className={classes.cardCorner}>
                {column.render(row.original)}
              </div>
            ))}
            {expand && (
              <ActionIcon
                aria-label={say(row.getIsExpanded() ? text.fold : text.expand)}
                aria-expanded={row.getIsExpanded()}
                onClick={() => row.toggleExpanded()}
              >
                {row.getIsExpanded() ? <ChevronDown size={16} /> : <ChevronRight size={16} />}
              </ActionIcon>
            )}
          </div>
          {line.length > 0 && (
            <div className={classes.cardLine}>
              {line.map((column) => (
                <span key={column.id}>{column.render(row.original)}</span>
              ))}
            </div>
          )}
          <dl className={classes.facts}>
            {facts.map((column) => (
              <Fragment key={column.id}>
                <dt>{say(column.title)}</dt>
                <dd>{column.render(row.original)}</dd>
              </Fragment>
            ))}
          </dl>
          {actions && <div className={classes.cardActions}>{actions.render(row.original)}</div>}
          {expand && row.getIsExpanded() && expand(row.original)}
        </div>
      ))}
    </div>
  );
}

import { Button, CloseButton, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { nothing } from '../../../lib/format/nothing.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Abilities, Length } from '../facts/facts-table.tsx';
import { factsText, vendorNames } from '../facts/facts-text.ts';
import { monthText } from '../month/month-text.ts';
import { monthQuery } from '../month/use-month.ts';
import { Availability, Ratios } from '../base/price-cells.tsx';
import type { PriceRow } from '../base/rows.ts';
import { classNames, text } from '../base/text.ts';
import classes from './compare.module.css';

interface CompareProps {
  rows: readonly PriceRow[];
  withRatios: boolean;
  onClose: () => void;
}

type Line = readonly [name: string, cell: (row: PriceRow) => ReactNode];

const tokenClasses = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

/** Models side by side: facts, prices in the selected group, and the cost of this month with each. */
export function Compare({ rows, withRatios, onClose }: CompareProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  const [asked, setAsked] = useState(false);
  // Omits facts that none of them has.
  const lines = useLines(withRatios).filter(([, cell]) => rows.some((row) => cell(row) !== nothing));
  return (
    <Panel
      flush
      title={t(text.compare)}
      actions={
        <Group gap="xs">
          {user && !asked && (
            <Button variant="default" onClick={() => setAsked(true)}>
              {t(monthText.withEach)}
            </Button>
          )}
          <CloseButton aria-label={t(text.closeCompare)} onClick={onClose} />
        </Group>
      }
    >
      <div className={classes.scroll} role="region" tabIndex={0} aria-label={t(text.compare)}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t(text.model)}</th>
              {rows.map(({ item }) => (
                <th key={item.model_name} scope="col">
                  {item.model_name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...lines, ...(asked ? [[t(monthText.title), monthOf] as Line] : [])].map(([name, cell]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {rows.map((row) => (
                  <td key={row.item.model_name}>{cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function useLines(withRatios: boolean): Line[] {
  const t = useTranslate();
  const price = (row: PriceRow, name: (typeof tokenClasses)[number]) =>
    row.priced && row.prices.by === 'tokens' ? formatPrice(row.prices.perMillion[name]) : nothing;
  return [
    [t(text.availability), (row) => <Availability row={row} words />],
    [
      t(factsText.vendor),
      ({ item: { facts } }) => (facts ? (vendorNames[facts.vendor] ?? facts.vendor) : t(factsText.unknown)),
    ],
    [t(factsText.input), ({ item: { facts } }) => <Length tokens={facts?.input} />],
    [t(factsText.output), ({ item: { facts } }) => <Length tokens={facts?.output} />],
    [t(factsText.abilities), ({ item: { facts } }) => <Abilities facts={facts} />],
    [
      t(text.callPrice),
      (row) => (row.priced && row.prices.by === 'call' ? formatPrice(row.prices.call) : nothing),
    ],
    ...tokenClasses.map((name): Line => [`${t(classNames[name])} / 1M`, (row) => price(row, name)]),
    ...(withRatios ? [[t(text.ratio), (row: PriceRow) => <Ratios row={row} />] as Line] : []),
  ];
}

const monthOf = (row: PriceRow): ReactNode =>
  row.priced ? <MonthCell model={row.item.model_name} /> : nothing;

function MonthCell({ model }: { model: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const { data, error } = useQuery(monthQuery(model, 'own'));
  if (error) return error.message;
  if (!data) return '…';
  return (
    <>
      <b>
        <MoneySum quota={data.after} />
      </b>{' '}
      <span className={classes.quiet}>
        {t(monthText.charged)} <MoneySum quota={data.before} /> ·{' '}
        {t(monthText.calls, { count: formatNumber(data.rows, language) })}
      </span>
    </>
  );
}

import { moneyDigits, type ReportRow, type ReportState, type UsageFigure } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { nothing } from '../../lib/format/nothing.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { Money } from '../../shared/money/money.tsx';
import { Tag, type Tone } from '../../ui/tag.tsx';
import classes from './reconciliation.module.css';
import { text } from './text.ts';

/** The date of a day (UTC). */
export const dateOf = (day: number): string => new Date(day * 1_000).toISOString().slice(0, 10);

const tones: Readonly<Record<ReportState, Tone>> = {
  equal: 'good',
  open: 'neutral',
  differs: 'bad',
  only_ours: 'warn',
  only_theirs: 'warn',
};

/** The columns of a comparison: our figure above the vendor's. Costs have the decimals that the largest of them needs. */
export const reportColumns = (rows: readonly ReportRow[]): Column<ReportRow>[] => {
  const costs = rows.flatMap(({ ours, theirs }) => [ours?.cost ?? 0, theirs?.cost ?? 0]);
  const figure = (id: UsageFigure, roomy = false): Column<ReportRow> => ({
    id,
    title: text[id],
    align: 'end',
    roomy,
    render: (row) => <Pair row={row} figure={id} costs={costs} />,
  });
  return [
    { id: 'model', title: text.model, role: 'title', fixed: true, render: (row) => <Model row={row} /> },
    {
      id: 'day',
      title: text.day,
      card: 'line',
      render: (row) => <span className="tabular">{dateOf(row.day)}</span>,
    },
    { id: 'state', title: text.state, card: 'corner', render: (row) => <State row={row} /> },
    figure('calls'),
    figure('input'),
    figure('cached', true),
    figure('output'),
    figure('cost'),
  ];
};

function Model({ row }: { row: ReportRow }) {
  const t = useTranslate();
  return row.model === '' ? <span className={classes.quiet}>{t(text.noModel)}</span> : row.model;
}

function State({ row }: { row: ReportRow }) {
  const t = useTranslate();
  return (
    <span className={classes.tags}>
      <Tag tone={tones[row.state]}>{t(text[row.state])}</Tag>
      {row.incomplete && <Tag>{t(text.incomplete)}</Tag>}
    </span>
  );
}

interface PairProps {
  row: ReportRow;
  figure: UsageFigure;
  costs: readonly number[];
}

/** Our figure above the vendor's, with a mark if they differ. */
function Pair({ row, figure, costs }: PairProps) {
  const t = useTranslate();
  const ours = row.ours?.[figure] ?? null;
  const theirs = row.theirs?.[figure] ?? null;
  const isOff = row.state !== 'equal' && row.state !== 'open' && theirs !== null && ours !== theirs;
  return (
    <span className={classes.pair}>
      <span className={isOff ? classes.off : undefined} title={t(text.ours)}>
        <Value value={ours} figure={figure} costs={costs} />
      </span>
      <span className={classes.theirs} title={t(text.theirs)}>
        <Value value={theirs} figure={figure} costs={costs} />
      </span>
    </span>
  );
}

function Value({ value, figure, costs }: { value: number | null } & Omit<PairProps, 'row'>): ReactNode {
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  if (value === null) return nothing;
  if (figure === 'cost') return <Money quota={value} digits={moneyDigits([...costs], perUnit)} />;
  return <span className="tabular">{formatNumber(value, language)}</span>;
}

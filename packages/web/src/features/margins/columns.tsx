import { moneyDigits, type MarginRow } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { nothing } from '../../lib/format/nothing.ts';
import { useLanguage, useTranslate, type Translate } from '../../lib/i18n.ts';
import { formatNumber, formatPercent } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { Money } from '../../shared/money/money.tsx';
import type { MarginFilter } from './queries.ts';
import classes from './margins.module.css';
import { text } from './text.ts';

/** Display name of a row. */
export function nameOf(row: MarginRow, by: MarginFilter['by'], t: Translate): string {
  if (row.name !== '') return row.name;
  return by === 'team' && row.id === 0 ? t(text.own) : t(text.gone, { id: row.id });
}

const day = 86_400;

/** The usage log's address of the calls behind a row; undefined if the log has no such filter. */
function logSearchOf(row: MarginRow, filter: MarginFilter): Record<string, string> {
  const { by, channel, model_name: model, start_timestamp: start, end_timestamp: end } = filter;
  const search: Record<string, string> = { type: '2', range: 'custom', start: String(start) };
  if (end > 0) search.end = String(end);
  if (by === 'day') Object.assign(search, { start: String(row.id), end: String(row.id + day - 1) });
  if (by === 'channel' || channel > 0) search.channel = String(by === 'channel' ? row.id : channel);
  if (by === 'model' || model !== '') search.model = `=${by === 'model' ? row.name : model}`;
  if (by === 'user') search.username = row.name;
  if (by === 'team') search.payer = row.id === 0 ? 'user' : String(row.id);
  return search;
}

/** All amounts of some sums, which share their decimals. */
export const amountsOf = (rows: readonly MarginRow[]): number[] =>
  rows.flatMap(({ charge, cost, unknown_charge: unknown }) => [charge, cost, unknown]);

const titles = {
  channel: text.byChannel,
  model: text.byModel,
  user: text.byUser,
  team: text.byTeam,
  day: text.byDay,
} as const;

/** The columns of a table by one dimension; all amounts have the decimals that the largest of them needs. */
export const marginColumns = (filter: MarginFilter, rows: readonly MarginRow[]): Column<MarginRow>[] => {
  const quotas = amountsOf(rows);
  const amount = (quota: number) => <Amount quota={quota} quotas={quotas} />;
  // Calls of unknown cost have no sum; a zero would mean that they were free.
  const known = (row: MarginRow, quota: number) => (row.calls === 0 ? nothing : amount(quota));
  return [
    {
      id: 'name',
      sort: 'name',
      value: ({ name }) => name,
      title: titles[filter.by],
      role: 'title',
      fixed: true,
      render: (row) => <Name row={row} by={filter.by} />,
    },
    {
      id: 'calls',
      sort: 'calls',
      value: ({ calls }) => calls,
      title: text.calls,
      align: 'end',
      roomy: true,
      render: (row) => <Count value={row.calls} />,
    },
    {
      id: 'charge',
      sort: 'charge',
      value: ({ charge }) => charge,
      title: text.charge,
      align: 'end',
      card: 'line',
      render: (row) => known(row, row.charge),
    },
    {
      id: 'cost',
      sort: 'cost',
      value: ({ cost }) => cost,
      title: text.cost,
      align: 'end',
      render: (row) => known(row, row.cost),
    },
    {
      id: 'margin',
      sort: 'margin',
      value: ({ margin }) => margin,
      title: text.margin,
      align: 'end',
      card: 'corner',
      render: (row) => (
        <span className={row.margin < 0 ? classes.loss : undefined}>
          {row.calls === 0 ? nothing : <Margin row={row} quotas={quotas} />}
        </span>
      ),
    },
    {
      id: 'share',
      sort: 'share',
      // Unknown amounts sort as the smallest.
      value: ({ charge, cost }) => (charge > 0 ? cost / charge : -1),
      title: text.share,
      roomy: true,
      render: (row) => <Share row={row} />,
    },
    {
      id: 'unknown',
      sort: 'unknown',
      value: ({ unknown_charge: unknown }) => unknown,
      title: text.unknown,
      align: 'end',
      roomy: true,
      render: (row) =>
        row.unknown_calls === 0 ? null : (
          <span className={classes.quiet}>
            {amount(row.unknown_charge)} · <UnknownCalls count={row.unknown_calls} />
          </span>
        ),
    },
    {
      id: 'log',
      title: text.callsOf,
      role: 'actions',
      fixed: true,
      render: (row) => <LogLink search={logSearchOf(row, filter)} />,
    },
  ];
};

function Name({ row, by }: { row: MarginRow; by: MarginFilter['by'] }) {
  const t = useTranslate();
  return <span className={row.name === '' ? classes.quiet : undefined}>{nameOf(row, by, t)}</span>;
}

function Count({ value }: { value: number }) {
  return <span className="tabular">{formatNumber(value, useLanguage())}</span>;
}

function UnknownCalls({ count }: { count: number }) {
  const t = useTranslate();
  return t(text.unknownNote, { count: formatNumber(count, useLanguage()) });
}

/** An amount with the decimals of its column. */
export function Amount({ quota, quotas }: { quota: number; quotas: readonly number[] }) {
  const { perUnit } = useQuotaDisplay();
  return <Money quota={quota} digits={moneyDigits(quotas, perUnit)} />;
}

/** The margin, as the difference of the two displayed amounts: three rounded amounts need not add up. */
export function Margin({
  row: { charge, cost, margin },
  quotas,
}: {
  row: MarginRow;
  quotas: readonly number[];
}) {
  const { perUnit } = useQuotaDisplay();
  const digits = moneyDigits(quotas, perUnit);
  const shown = (quota: number) => Number((quota / perUnit).toFixed(digits)) * perUnit;
  const difference = Math.round(shown(charge) - shown(cost));
  // Two equal displayed amounts may still have a small margin.
  return <Amount quota={difference === 0 ? margin : difference} quotas={quotas} />;
}

/** The vendor's share of the charge: a bar and a number. */
function Share({ row }: { row: MarginRow }) {
  const language = useLanguage();
  if (row.charge <= 0) return null;
  const share = row.cost / row.charge;
  return (
    <span className={classes.share}>
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.fill}
          data-loss={share > 1 || undefined}
          style={{ width: `${Math.min(1, share) * 100}%` }}
        />
      </span>
      <span className="tabular">{formatPercent(share, language)}</span>
    </span>
  );
}

function LogLink({ search }: { search: Record<string, string> }) {
  const t = useTranslate();
  return (
    <Link to="/log" search={search} className={classes.link}>
      {t(text.callsOf)}
    </Link>
  );
}

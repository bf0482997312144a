import { Button, SegmentedControl } from '@mantine/core';
import { type MarginData, product } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, HandCoins } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { downloadText, toCsv } from '../../lib/format/csv.ts';
import { isoTime } from '../../lib/format/date-format.ts';
import { formatNumber, formatPercent } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { BelowCost } from '../../shared/below-cost/below-cost.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { useSorted } from '../../shared/data-table/use-sorted.ts';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { boundsOf } from '../../shared/time-range/range.ts';
import { TimeRange } from '../../shared/time-range/time-range.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figure, Figures, figureValue } from '../../ui/figure.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Amount, Margin, amountsOf, marginColumns, nameOf } from './columns.tsx';
import classes from './margins.module.css';
import { type MarginFilter, marginsQuery } from './queries.ts';
import { text } from './text.ts';
import { choiceParam, numberParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the margins; the default time range is a month. */
const marginSearch = {
  range: choiceParam(['30d', 'today', '24h', '7d', 'all', 'custom']),
  start: numberParam(0),
  end: numberParam(0),
  by: choiceParam(['channel', 'model', 'user', 'team', 'day']),
  channel: numberParam(0),
  model: textParam(),
  sort: textParam(),
};

function useFilter(): MarginFilter {
  const [{ range, start, end, by, channel, model }] = useUrlState(marginSearch);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const bounds = boundsOf({ range, start, end }, now);
  return { by, channel, model_name: model, start_timestamp: bounds.start, end_timestamp: bounds.end };
}

/** Charges, costs and margins of calls; for root. */
export function Page() {
  const t = useTranslate();
  const filter = useFilter();
  const margins = useQuery(marginsQuery(filter));
  const { data } = margins;
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={<ExportButton data={data} by={filter.by} />}
      />
      <div className={classes.stack}>
        <BelowCost />
        <Sums total={data?.total} isError={margins.isError} />
        <Rows filter={filter} />
      </div>
    </>
  );
}

function Sums({ total, isError }: { total: MarginData['total'] | undefined; isError: boolean }) {
  const t = useTranslate();
  const language = useLanguage();
  const amount = (quota: number) => <Amount quota={quota} quotas={total ? amountsOf([total]) : []} />;
  const value = (show: (total: MarginData['total']) => ReactNode) =>
    figureValue({ data: total, isError }, show);
  const share =
    total && total.charge > 0
      ? t(text.marginNote, { share: formatPercent(total.margin / total.charge, language) })
      : undefined;
  return (
    <Figures>
      <Figure label={t(text.charge)} value={value(({ charge }) => amount(charge))} />
      <Figure label={t(text.cost)} value={value(({ cost }) => amount(cost))} />
      <Figure
        label={t(text.margin)}
        value={value((sums) => (
          <span className={sums.margin < 0 ? classes.loss : undefined}>
            <Margin row={sums} quotas={amountsOf([sums])} />
          </span>
        ))}
        note={share}
      />
      <Figure
        label={t(text.unknown)}
        value={value(({ unknown_charge: charge }) => amount(charge))}
        note={total && t(text.unknownNote, { count: formatNumber(total.unknown_calls, language) })}
      />
    </Figures>
  );
}

function Rows({ filter }: { filter: MarginFilter }) {
  const t = useTranslate();
  const margins = useQuery(marginsQuery(filter));
  const found = margins.data?.rows;
  const columns = useMemo(() => marginColumns(filter, found ?? []), [filter, found]);
  const [order, sorting] = useSorted(columns);
  const rows = useMemo(() => found && order(found), [found, order]);
  return (
    <Panel flush>
      <DataTable
        name="margins"
        label={t(text.title)}
        columns={columns}
        rowId={(row) => `${row.id} ${row.name}`}
        query={{ ...margins, data: rows }}
        empty={
          <EmptyState icon={<HandCoins size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
        sorting={sorting}
        toolbar={<Filters />}
      />
      {margins.data?.truncated && <p className={classes.note}>{t(text.truncated)}</p>}
    </Panel>
  );
}

const groupings = [
  { value: 'channel', label: text.byChannel },
  { value: 'model', label: text.byModel },
  { value: 'user', label: text.byUser },
  { value: 'team', label: text.byTeam },
  { value: 'day', label: text.byDay },
] as const;

function Filters() {
  const t = useTranslate();
  const [search, setSearch] = useUrlState(marginSearch);
  const by = groupings.map(({ value, label }) => ({ value, label: t(label) }));
  return (
    <FilterBar
      first={<TimeRange value={search} onChange={(change) => setSearch(change)} />}
      usual={
        <>
          <SegmentedControl
            aria-label={t(text.by)}
            data={by}
            value={search.by}
            onChange={(value) => setSearch({ by: value })}
          />
          <SearchField
            label={t(text.modelFilter)}
            value={search.model}
            width={170}
            icon={false}
            onChange={(model) => setSearch({ model: model.trim() }, { typed: true })}
          />
        </>
      }
    />
  );
}

/** The rows as a file: whole quota units, so that they add up. */
function ExportButton({ data, by }: { data: MarginData | undefined; by: MarginFilter['by'] }) {
  const t = useTranslate();
  const save = () => {
    const head = ['id', by, 'calls', 'charge', 'cost', 'margin', 'unknown_calls', 'unknown_charge'];
    const lines = (data?.rows ?? []).map((row) => [
      row.id,
      nameOf(row, by, t),
      row.calls,
      row.charge,
      row.cost,
      row.margin,
      row.unknown_calls,
      row.unknown_charge,
    ]);
    const today = isoTime(Date.now() / 1000).slice(0, 10);
    downloadText(`${product.id}-margins-${today}.csv`, toCsv([head, ...lines]), 'text/csv');
  };
  return (
    <Button variant="default" leftSection={<Download size={15} />} disabled={!data} onClick={save}>
      {t(text.csv)}
    </Button>
  );
}

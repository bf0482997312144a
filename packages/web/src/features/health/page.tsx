import { SegmentedControl } from '@mantine/core';
import { channelHealthApi, type ChannelHealthQuery, type ChannelHealthRow } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { formatDuration, formatNumber, formatPercent } from '../../lib/format/number-format.ts';
import { nothing } from '../../lib/format/nothing.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { useSorted } from '../../shared/data-table/use-sorted.ts';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { failureText } from '../../shared/health-bars/failure-text.ts';
import { HealthBars, ratesOf } from '../../shared/health-bars/health-bars.tsx';
import { choiceParam, textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { text } from './text.ts';

const search = {
  period: choiceParam(['hour', 'six_hours', 'day']),
  by: choiceParam(['channel', 'key', 'model']),
  sort: textParam(),
};

const healthQuery = (query: ChannelHealthQuery) =>
  queryOptions({
    queryKey: ['channel-health', query],
    queryFn: ({ signal }) => call(channelHealthApi.report, query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

/** Health of channels, their keys and models, measured by live calls. */
export function Page() {
  const t = useTranslate();
  const [{ period, by }] = useUrlState(search);
  const query = useQuery(healthQuery({ period, by, channel: 0 }));
  const columns = useMemo(() => columnsFor(by), [by]);
  const [order, sorting] = useSorted(columns);
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} />
      <Panel flush>
        <DataTable<ChannelHealthRow>
          name="channel-health"
          label={t(text.title)}
          columns={columns}
          rowId={({ channel, key, model }) => `${channel} ${key} ${model}`}
          query={{ ...query, data: query.data && order(query.data.rows) }}
          sorting={sorting}
          empty={<EmptyState icon={<Activity size={20} />} title={t(text.empty)} />}
          toolbar={<Filters />}
        />
      </Panel>
    </>
  );
}

function Filters() {
  const t = useTranslate();
  const [{ period, by }, setSearch] = useUrlState(search);
  return (
    <FilterBar
      first={
        <SegmentedControl
          aria-label={t(text.period)}
          value={period}
          data={[
            { value: 'hour', label: t(text.hour) },
            { value: 'six_hours', label: t(text.sixHours) },
            { value: 'day', label: t(text.day) },
          ]}
          onChange={(value) => setSearch({ period: value })}
        />
      }
      usual={
        <SegmentedControl
          aria-label={t(text.by)}
          value={by}
          data={[
            { value: 'channel', label: t(text.channel) },
            { value: 'key', label: t(text.key) },
            { value: 'model', label: t(text.model) },
          ]}
          onChange={(value) => setSearch({ by: value })}
        />
      }
    />
  );
}

const successOf = ({ tries, failed }: ChannelHealthRow): number => (tries === 0 ? 1 : 1 - failed / tries);

const columnsFor = (by: ChannelHealthQuery['by']): Column<ChannelHealthRow>[] => [
  {
    id: 'name',
    sort: 'name',
    value: ({ name }) => name,
    title: text.channel,
    role: 'title',
    fixed: true,
    render: (row) => <Name row={row} />,
  },
  ...(by === 'channel' ? [] : [partColumn(by)]),
  {
    id: 'success',
    sort: 'success',
    value: successOf,
    title: text.success,
    align: 'end',
    card: 'corner',
    render: (row) => (row.tries === 0 ? nothing : <Success row={row} />),
  },
  {
    id: 'course',
    title: text.course,
    card: 'line',
    render: ({ series }) => <HealthBars rates={ratesOf(series)} />,
  },
  {
    id: 'tries',
    sort: 'tries',
    value: ({ tries }) => tries,
    title: text.tries,
    align: 'end',
    render: ({ tries }) => <Count value={tries} />,
  },
  { id: 'failures', title: text.failures, roomy: true, render: (row) => <Failures row={row} /> },
  {
    id: 'first',
    sort: 'first',
    value: ({ first_p50: ms }) => ms ?? 0,
    title: text.first,
    align: 'end',
    render: (row) => times(row.first_p50, row.first_p95),
  },
  {
    id: 'whole',
    sort: 'whole',
    value: ({ whole_p50: ms }) => ms ?? 0,
    title: text.whole,
    align: 'end',
    render: (row) => times(row.whole_p50, row.whole_p95),
  },
  {
    id: 'speed',
    sort: 'speed',
    value: ({ tokens_per_second: speed }) => speed ?? 0,
    title: text.speed,
    align: 'end',
    roomy: true,
    render: ({ tokens_per_second: speed }) => (speed === null ? nothing : <Count value={speed} />),
  },
];

const partColumn = (part: 'key' | 'model'): Column<ChannelHealthRow> => ({
  id: part,
  sort: part,
  value: (row) => row[part],
  title: text[part],
  card: 'line',
  render: (row) => row[part] || nothing,
});

const times = (p50: number | null, p95: number | null) =>
  p50 === null || p95 === null ? nothing : `${formatDuration(p50)} / ${formatDuration(p95)}`;

function Name({ row: { channel, name } }: { row: ChannelHealthRow }) {
  const t = useTranslate();
  if (name === '') return t(text.gone, { id: channel });
  return (
    <Link to="/channel" search={{ edit: String(channel) }}>
      {name}
    </Link>
  );
}

function Success({ row }: { row: ChannelHealthRow }) {
  return <span className="tabular">{formatPercent(successOf(row), useLanguage())}</span>;
}

function Count({ value }: { value: number }) {
  return <span className="tabular">{formatNumber(value, useLanguage())}</span>;
}

function Failures({ row: { failures } }: { row: ChannelHealthRow }) {
  const t = useTranslate();
  const kinds = Object.keys(failureText) as (keyof typeof failures)[];
  const found = kinds.filter((kind) => failures[kind] > 0);
  return found.map((kind) => t(failureText[kind], { count: failures[kind] })).join(' · ') || nothing;
}

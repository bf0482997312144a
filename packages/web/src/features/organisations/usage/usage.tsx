import type { TeamData } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { usePaging } from '../../../shared/data-table/use-paging.ts';
import { FilterBar } from '../../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../../shared/filter-bar/search-field.tsx';
import { MoneySum } from '../../../shared/money/money.tsx';
import { spentOf } from '../../../shared/money/spent-of.ts';
import { boundsOf } from '../../../shared/time-range/range.ts';
import { TimeRange } from '../../../shared/time-range/time-range.tsx';
import { OlderMissing } from '../../../shared/state/older-missing.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Figure, Figures, figureValue } from '../../../ui/figure.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { teamActions } from '../base/permissions.ts';
import classes from '../base/organisations.module.css';
import { teamSearch } from '../base/search.ts';
import { usageColumns } from './columns.tsx';
import { usageText as text } from './text.ts';
import { type CallOf, teamRecordApi } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { teamRoot } from '../base/queries.ts';

/** The organisation and the filters, as parameters of the calls. */
type UsageFilter = CallOf<typeof teamRecordApi.logStat>;

const usageQuery = (filter: UsageFilter, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...teamRoot(Number(filter.id)), 'log', filter, page, pageSize],
    queryFn: ({ signal }) =>
      call(teamRecordApi.logs, { ...filter, p: page, page_size: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

const usageStatQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: [...teamRoot(Number(filter.id)), 'log-stat', filter],
    queryFn: ({ signal }) => call(teamRecordApi.logStat, filter, { signal }),
    placeholderData: keepPreviousData,
  });

/** A model matches anywhere in the stored name. */
const pattern = (model: string) => (model === '' ? '' : `%${model}%`);

function useFilter(team: TeamData): UsageFilter {
  const [{ range, start, end, username, token, model }] = useUrlState(teamSearch);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  return useMemo(() => {
    const bounds = boundsOf({ range, start, end }, now);
    return {
      id: team.id,
      username,
      token_name: token,
      model_name: pattern(model),
      start_timestamp: bounds.start,
      end_timestamp: bounds.end,
    };
  }, [team.id, range, start, end, username, token, model, now]);
}

/** Every call that the organisation paid for: the user's own, or all for managers. */
export function Usage({ team }: { team: TeamData }) {
  const filter = useFilter(team);
  return (
    <div className={classes.stack}>
      <Stats filter={filter} />
      <Rows team={team} filter={filter} />
    </div>
  );
}

function Stats({ filter }: { filter: UsageFilter }) {
  const t = useTranslate();
  const language = useLanguage();
  const sums = useQuery(usageStatQuery(filter));
  return (
    <Figures>
      <Figure
        label={t(text.spent)}
        value={figureValue(sums, (each) => (
          <MoneySum quota={spentOf(each).quota} />
        ))}
      />
      <Figure label={t(text.rpm)} value={figureValue(sums, ({ rpm }) => formatNumber(rpm, language))} />
      <Figure label={t(text.tpm)} value={figureValue(sums, ({ tpm }) => formatNumber(tpm, language))} />
    </Figures>
  );
}

function Rows({ team, filter }: { team: TeamData; filter: UsageFilter }) {
  const t = useTranslate();
  const [{ p }, setSearch] = useUrlState(teamSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const logs = useQuery(usageQuery(filter, p, paging.pageSize));
  const columns = useMemo(() => usageColumns(team), [team]);
  return (
    <>
      <OlderMissing of={logs.data} />
      <Panel flush>
        <DataTable
          name="team-log"
          label={t(text.title)}
          columns={columns}
          rowId={(row) => `${row.id}-${row.created_at}-${row.request_id}`}
          query={{ ...logs, data: logs.data?.items }}
          empty={
            <EmptyState icon={<ScrollText size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
          }
          toolbar={<Filters team={team} />}
          paging={{ ...paging, total: logs.data?.total ?? 0, exact: logs.data?.exact }}
        />
      </Panel>
    </>
  );
}

function Filters({ team }: { team: TeamData }) {
  const t = useTranslate();
  const [{ range, start, end, username, token, model }, setSearch] = useUrlState(teamSearch);
  const typing = { typed: true };
  return (
    <FilterBar
      first={<TimeRange value={{ range, start, end }} onChange={(next) => setSearch({ ...next, p: 1 })} />}
      usual={
        <>
          {teamActions(team).has('seeAll') && (
            <SearchField
              label={t(text.member)}
              value={username}
              width={140}
              onChange={(value) => setSearch({ username: value, p: 1 }, typing)}
            />
          )}
          <SearchField
            label={t(text.model)}
            value={model}
            width={160}
            icon={false}
            onChange={(value) => setSearch({ model: value, p: 1 }, typing)}
          />
          <SearchField
            label={t(text.key)}
            value={token}
            width={140}
            icon={false}
            onChange={(value) => setSearch({ token: value, p: 1 }, typing)}
          />
        </>
      }
    />
  );
}

import { Skeleton, Stack, Switch } from '@mantine/core';
import { type LogData, logType, moneyDigits, parseTags, role, runOfTags } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { Money } from '../../shared/money/money.tsx';
import { spentOf } from '../../shared/money/spent-of.ts';
import { OlderMissing } from '../../shared/state/older-missing.tsx';
import { boundsOf, rangeParams } from '../../shared/time-range/range.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figure, Figures, figureValue } from '../../ui/figure.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { logColumns } from './list/columns.tsx';
import { ExportButton } from './export/export-button.tsx';
import { useExport } from './export/export.ts';
import { Filters, type LogFilterState } from './list/filters.tsx';
import { type LogFilter, logsQuery, logStatQuery } from './base/queries.ts';
import { text } from './base/text.ts';
import { numberParam, pageParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the log page. */
const logSearch = {
  ...rangeParams,
  p: pageParam,
  /** The row with the open receipt. */
  open: textParam(),
  /** 0 for all. */
  type: numberParam(0, 0, 7),
  token: textParam(),
  model: textParam(),
  group: textParam(),
  request: textParam(),
  /** `team=search`; several with commas. */
  tag: textParam(),
  /** The tag that splits the charges by its values; '' for none. */
  by: textParam(),
  /** `user`, `team`, or the id of a team; '' for all. */
  payer: textParam(),
  /** For administrators, and with a run for managers of organisations. */
  username: textParam(),
  channel: numberParam(0),
};

/** Polling interval of the newest rows, in ms. */
const pollMs = 5000;

/** A model name matches anywhere in the stored one, unless it has wildcards (`%`) or is exact (`=`). */
const pattern = (model: string) => {
  if (model.startsWith('=')) return model.slice(1);
  return model === '' || model.includes('%') ? model : `%${model}%`;
};

function useFilter(state: LogFilterState): LogFilter {
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  return useMemo(() => {
    const { start, end } = boundsOf(state, now);
    return {
      type: state.type,
      // Sign-ins belong to the audit log; here they show only on request.
      exclude_type: state.type === 0 ? logType.login : 0,
      token_name: state.token,
      model_name: pattern(state.model),
      group: state.group,
      request_id: state.request,
      tag: state.tag,
      payer: state.payer,
      username: state.username,
      channel: state.channel,
      start_timestamp: start,
      end_timestamp: end,
    };
  }, [state, now]);
}

export function Page() {
  const t = useTranslate();
  const isAdmin = (useCurrentUser()?.role ?? 0) >= role.admin;
  const [search] = useUrlState(logSearch);
  const filter = useFilter(search);
  const run = runOfTags(parseTags(search.tag) ?? {});
  // Managers of an organisation see the runs of its members, not their logs.
  const isOfMember = !isAdmin && run !== undefined && search.username !== '';
  const [live, setLive] = useState(false);
  const refetchInterval = live ? pollMs : false;
  const csv = useExport(isAdmin, filter);

  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          !isOfMember && (
            <>
              <Switch
                label={t(text.live)}
                checked={live}
                onChange={(event) => setLive(event.currentTarget.checked)}
                styles={{ root: { alignSelf: 'center' } }}
              />
              <ExportButton csv={csv} />
            </>
          )
        }
      />
      <Stack gap={14}>
        {!isOfMember && <Stats isAdmin={isAdmin} filter={filter} refetchInterval={refetchInterval} />}
        {run !== undefined && (
          <Suspense>
            <RunSummary run={run} username={search.username} isAlone={isOfMember} />
          </Suspense>
        )}
        {search.by !== '' && !isOfMember && (
          <Suspense>
            <TagSums isAdmin={isAdmin} filter={filter} name={search.by} />
          </Suspense>
        )}
        {!isOfMember && <LogList isAdmin={isAdmin} filter={filter} refetchInterval={refetchInterval} />}
      </Stack>
    </>
  );
}

/** The code of receipts loads with the first open receipt. */
const RowDetails = lazy(async () => ({ default: (await import('./receipt/receipt.tsx')).RowDetails }));

const TagSums = lazy(async () => ({ default: (await import('./list/tag-sums.tsx')).TagSums }));

const RunSummary = lazy(async () => ({ default: (await import('./list/run-summary.tsx')).RunSummary }));

const Unfolded = ({ row }: { row: LogData }) => (
  <Suspense fallback={<Skeleton height={186} m="md" />}>
    <RowDetails row={row} />
  </Suspense>
);

/** Users see ids modulo 1024, so a page may contain an id twice. */
const rowId = (row: LogData) => `${row.id}-${row.created_at}-${row.request_id}`;

interface RowsProps {
  isAdmin: boolean;
  filter: LogFilter;
  refetchInterval: number | false;
}

function LogList({ isAdmin, filter, refetchInterval }: RowsProps) {
  const t = useTranslate();
  const [{ p, open, ...filterState }, setSearch] = useUrlState(logSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const logs = useQuery({ ...logsQuery(isAdmin, filter, p, paging.pageSize), refetchInterval });
  return (
    <>
      <OlderMissing of={logs.data} />
      <Panel flush>
        <DataTable
          name="logs"
          label={t(text.title)}
          columns={logColumns(isAdmin)}
          rowId={rowId}
          query={{ ...logs, data: logs.data?.items }}
          expand={(row) => <Unfolded row={row} />}
          unfolded={{ id: open, onChange: (id) => setSearch({ open: id }, { replace: true }) }}
          empty={
            <EmptyState icon={<ScrollText size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
          }
          toolbar={
            <Filters
              value={filterState}
              isAdmin={isAdmin}
              onChange={(change, options) => setSearch({ ...change, p: 1 }, options)}
            />
          }
          paging={{ ...paging, total: logs.data?.total ?? 0, exact: logs.data?.exact }}
        />
      </Panel>
    </>
  );
}

function Stats({ isAdmin, filter, refetchInterval }: RowsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const sums = useQuery({ ...logStatQuery(isAdmin, filter), refetchInterval });
  const { data } = sums;
  const { perUnit } = useQuotaDisplay();
  const spent = data && spentOf(data);
  // Adjacent figures have the same decimals: one is part of the other.
  const digits = moneyDigits([spent?.quota ?? 0, data?.refunded ?? 0], perUnit);
  return (
    <Figures>
      <Figure
        label={t(text.spent)}
        value={figureValue(sums, (each) => (
          <Money quota={spentOf(each).quota} digits={digits} />
        ))}
        note={
          data && data.refunded > 0 ? (
            <>
              {t(text.givenBack)} <Money quota={data.refunded} digits={digits} />
            </>
          ) : undefined
        }
      />
      {spent && spent.team_quota > 0 && (
        <Figure label={t(text.spentByTeams)} value={<Money quota={spent.team_quota} digits={digits} />} />
      )}
      <Figure label={t(text.rpm)} value={figureValue(sums, ({ rpm }) => formatNumber(rpm, language))} />
      <Figure label={t(text.tpm)} value={figureValue(sums, ({ tpm }) => formatNumber(tpm, language))} />
    </Figures>
  );
}

import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { BelowCost } from '../../shared/below-cost/below-cost.tsx';
import { LazyInView } from '../../shared/lazy/lazy-in-view.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import classes from './base/dashboard.module.css';
import { Attention } from './panels/attention.tsx';
import { TodayFigures } from './panels/figures.tsx';
import { FirstSteps } from './panels/first-steps.tsx';
import { HealthPanel } from './panels/health.tsx';
import { channelHealthQuery, freshSelfQuery, summaryQuery, sumsQuery } from './base/queries.ts';
import { Refusals } from './panels/refusals.tsx';
import { text } from './base/text.ts';
import { TopModels, TopTags, TopTokens } from './panels/tops.tsx';
import { UsagePanel } from './chart/usage-panel.tsx';
import { daysOf, sharedSpan } from './base/span.ts';
import { useView, type Dashboard } from './base/use-view.ts';

const NearBudgets = lazy(async () => ({
  default: (await import('../../shared/budgets/near-budgets.tsx')).NearBudgets,
}));

/** Approximate height of two panels side by side, in px, before they load. */
const belowFold = 220;

export function Page() {
  const t = useTranslate();
  const dashboard = useView();
  const { now, isAdmin, view, scope } = dashboard;
  const self = useCurrentUser();
  const isRoot = mayAccess(self, 'root');
  const recordsUse = useStatus()?.enable_data_export ?? true;
  const span = { start: view.start, end: view.end };
  const sums = useSums(dashboard);
  const tags = useTagNames(dashboard);
  const isFilled = useFilled(isAdmin) && sums.isFetched;
  // Rankings of nothing are left out; the chart shows the error.
  const hasUse = sums.data?.some(({ count }) => count > 0) ?? sums.error === null;
  return (
    <>
      <PageHead
        title={<Greeting now={now} />}
        hint={t(scope.of === 'all' ? text.hintAll : text.hintOwn)}
        actions={<ScopeControls dashboard={dashboard} tags={tags} />}
      />
      <div className={classes.stack}>
        {!recordsUse && <Notice tone="warn">{t(text.exportOff)}</Notice>}
        {isAdmin && scope.of === 'all' && <Attention isRoot={isRoot} now={now} />}
        {isRoot && <BelowCost />}
        <TodayFigures scope={scope} now={now} view={span} />
        <FirstSteps isAdmin={isAdmin} />
        <UsagePanel dashboard={dashboard} query={sums} />
        {hasUse && (
          <LazyInView height={belowFold} width="100%" ahead={60}>
            <div className={classes.columns}>
              <TopModels scope={scope} span={span} rows={sums.data} />
              <TopTokens scope={scope} span={span} rows={sums.data} />
              {tags.length > 0 && <TopTags dashboard={dashboard} names={tags} rows={sums.data} />}
            </div>
          </LazyInView>
        )}
        {isFilled && (
          <LazyInView height={1} width="100%" ahead={0}>
            <NearBudgets userId={isAdmin && scope.of === 'own' ? self?.id : undefined} />
          </LazyInView>
        )}
        {isAdmin && scope.of === 'all' && isFilled && (
          <LazyInView height={belowFold} width="100%" ahead={60}>
            <div className={classes.columns}>
              <HealthPanel />
              <LoggedRefusals dashboard={dashboard} />
            </div>
          </LazyInView>
        )}
      </div>
    </>
  );
}

/** True once the panels at the top have their final height: until then, parts below the fold seem to be in view. */
function useFilled(isAdmin: boolean): boolean {
  const self = useQuery(freshSelfQuery);
  const channels = useQuery({ ...channelHealthQuery, enabled: isAdmin });
  return self.isFetched && (!isAdmin || channels.isFetched);
}

/** The sums of the chart. One answer serves the chart and the figures above it if both end now. */
function useSums({ scope, view, now }: Dashboard) {
  const { start, end } = view;
  const { today, yesterday } = daysOf(now);
  const query = useQuery(
    sumsQuery(scope, sharedSpan({ start, end }, { start: yesterday.start, end: today.end })),
  );
  const { data } = query;
  const rows = useMemo(() => data?.filter((row) => row.created_at >= start), [data, start]);
  return { ...query, data: rows };
}

function Greeting({ now }: { now: number }) {
  const t = useTranslate();
  const user = useCurrentUser();
  const hour = new Date(now * 1000).getHours();
  const name = user?.display_name || user?.username || '';
  if (hour < 5) return t(text.night, { name });
  if (hour < 12) return t(text.morning, { name });
  return t(hour < 18 ? text.afternoon : text.evening, { name });
}

/** The names of tags on the newest calls, from the answer that has today's figures. */
function useTagNames({ scope, now, by }: Dashboard): readonly string[] {
  const { data } = useQuery(summaryQuery(scope, daysOf(now).today));
  const names = data?.tags ?? [];
  return by === '' || names.includes(by) ? names : [by, ...names];
}

function ScopeControls({
  dashboard: { scope, isAdmin, setSearch },
  tags,
}: {
  dashboard: Dashboard;
  tags: readonly string[];
}) {
  const t = useTranslate();
  return (
    <>
      {(tags.length > 0 || scope.tag !== '') && (
        <SearchField
          label={t(text.tag)}
          value={scope.tag}
          width={220}
          icon={false}
          offers={tags.map((name) => `${name}=`)}
          onChange={(tag) => setSearch({ tag: tag.trim() }, { typed: true })}
        />
      )}
      {scope.of === 'all' && (
        <SearchField
          label={t(text.username)}
          value={scope.username}
          width={170}
          onChange={(username) => setSearch({ username: username.trim() }, { typed: true })}
        />
      )}
      {isAdmin && (
        <SegmentedControl
          aria-label={t(text.scope)}
          data={[
            { value: 'all', label: t(text.everybody) },
            { value: 'own', label: t(text.mine) },
          ]}
          value={scope.of}
          onChange={(next) => setSearch({ scope: next })}
        />
      )}
    </>
  );
}

/** The newest failures, on sites that log them. */
function LoggedRefusals({ dashboard: { scope, view } }: { dashboard: Dashboard }) {
  const { data } = useQuery(summaryQuery(scope, { start: view.start, end: view.end }));
  if (!data || data.errors === null) return null;
  return <Refusals scope={scope} span={{ start: view.start, end: view.end }} summary={data} />;
}

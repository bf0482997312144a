import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/status.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import classes from './dashboard.module.css';
import { TodayFigures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ChannelHealth } from './health.tsx';
import { summaryQuery, sumsQuery } from './queries.ts';
import { Refusals } from './refusals.tsx';
import { text } from './text.ts';
import { TopModels, TopTokens } from './tops.tsx';
import { UsagePanel } from './usage-panel.tsx';
import { useView, type Dashboard } from './use-view.ts';

export function Page() {
  const say = useSay();
  const dashboard = useView();
  const { now, isAdmin, view, scope } = dashboard;
  const recordsUse = useStatus()?.enable_data_export ?? true;
  const span = { start: view.start, end: view.end };
  const sums = useQuery(sumsQuery(scope, span));
  const username = scope.of === 'all' ? scope.username : '';
  return (
    <>
      <PageHead
        title={<Greeting now={now} />}
        hint={say(scope.of === 'all' ? text.hintAll : text.hintOwn)}
        actions={isAdmin && <ScopeControls dashboard={dashboard} />}
      />
      <div className={classes.stack}>
        {!recordsUse && <Notice tone="warn">{say(text.exportOff)}</Notice>}
        <TodayFigures scope={scope} now={now} />
        <FirstSteps isAdmin={isAdmin} />
        <UsagePanel dashboard={dashboard} query={sums} />
        <div className={classes.columns}>
          <TopModels scope={scope} span={span} rows={sums.data} />
          <TopTokens scope={scope} span={span} />
        </div>
        {isAdmin && scope.of === 'all' && (
          <div className={classes.columns}>
            <ChannelHealth />
            <LoggedRefusals dashboard={dashboard} username={username} />
          </div>
        )}
      </div>
    </>
  );
}

function Greeting({ now }: { now: number }) {
  const say = useSay();
  const user = useCurrentUser();
  const hour = new Date(now * 1000).getHours();
  const name = user?.display_name || user?.username || '';
  if (hour < 5) return say(text.night, { name });
  if (hour < 12) return say(text.morning, { name });
  return say(hour < 18 ? text.afternoon : text.evening, { name });
}

function ScopeControls({ dashboard: { scope, setSearch } }: { dashboard: Dashboard }) {
  const say = useSay();
  return (
    <>
      {scope.of === 'all' && (
        <SearchField
          label={say(text.username)}
          value={scope.username}
          width={170}
          onChange={(username) => setSearch({ username: username.trim() }, { replace: true })}
        />
      )}
      <SegmentedControl
        aria-label={say(text.scope)}
        data={[
          { value: 'all', label: say(text.everybody) },
          { value: 'own', label: say(text.mine) },
        ]}
        value={scope.of}
        onChange={(next) => setSearch({ scope: next }, { replace: true })}
      />
    </>
  );
}

/** The newest failures, on sites that log them. */
function LoggedRefusals({
  dashboard: { scope, view },
  username,
}: {
  dashboard: Dashboard;
  username: string;
}) {
  const { data } = useQuery(summaryQuery(scope, { start: view.start, end: view.end }));
  if (!data || data.errors === null) return null;
  return <Refusals username={username} since={view.start} />;
}

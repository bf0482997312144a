import { ActionIcon, SegmentedControl, Skeleton, UnstyledButton } from '@mantine/core';
import type { QuotaData } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { ChartColumnStacked, Table2 } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { TimeRange } from '../../../shared/time-range/time-range.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { useAmount } from './amounts.ts';
import classes from './chart.module.css';
import { logAddress, useScopeRows } from '../base/log-link.tsx';
import { buildChart, type Measure, withoutSeries } from '../base/series.ts';
import { StackedBars } from './stacked-bars.tsx';
import { barsOf, mayShow, spanNames, type Unit, units } from '../base/span.ts';
import { text } from '../base/text.ts';
import type { Dashboard } from '../base/use-view.ts';
import type { Language } from '../../../lib/language.ts';
import { formatPercent } from '../../../lib/format/number-format.ts';
import type { Chart } from '../base/series.ts';

interface LegendProps {
  chart: Chart;
  hidden: ReadonlySet<string | null>;
  onToggle: (model: string | null) => void;
}

/** A share in whole percent; a share below 1% is not shown as 0. */
const shareOf = (share: number, language: Language) =>
  share > 0 && share < 0.005 ? `<${formatPercent(0.01, language, 0)}` : formatPercent(share, language, 0);

/** The legend: colour, model and share of the total; a click hides the model. */
function Legend({ chart, hidden, onToggle }: LegendProps) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <div className={classes.legend} role="group" aria-label={t(text.legend)}>
      {chart.series.map(({ model, colour, total }) => (
        <UnstyledButton
          key={model ?? ''}
          className={classes.legendItem}
          aria-pressed={!hidden.has(model)}
          onClick={() => onToggle(model)}
        >
          <span className={classes.swatch} data-colour={colour} />
          <span className={classes.legendName}>{model ?? t(text.others)}</span>
          <span className={classes.legendShare}>{shareOf(total / chart.total, language)}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}

/** Loads on demand, for users who open the table. */
const ChartTable = lazy(async () => ({ default: (await import('./chart-table.tsx')).ChartTable }));

/** Either there are no calls, or all calls are free, which is still usage. */
function Nothing({ isUsed }: { isUsed: boolean }) {
  const t = useTranslate();
  return (
    <EmptyState
      icon={<ChartColumnStacked size={20} />}
      title={t(isUsed ? text.nothingPaid : text.nothingSpent)}
      hint={t(isUsed ? text.nothingPaidHint : text.nothingHint)}
    />
  );
}

interface UsagePanelProps {
  dashboard: Dashboard;
  query: { data: QuotaData[] | undefined; error: Error | null; refetch: () => unknown };
}

const measures: readonly Measure[] = ['quota', 'count', 'tokens'];
const nothingHidden: ReadonlySet<string | null> = new Set();

/** Usage over time by model, with quantity, span and unit. */
export function UsagePanel({ dashboard, query }: UsagePanelProps) {
  const t = useTranslate();
  const { measure } = dashboard;
  const [asTable, setAsTable] = useState(false);
  const switchTo = t(asTable ? text.asChart : text.asTable);
  const chart = useChart(dashboard, query.data);
  const amount = useAmount(measure, chart?.total ?? 0);
  return (
    <Panel
      title={
        <span className={classes.title}>
          {t(text[measure])}
          {chart && <span className={classes.total}>{amount(chart.total)}</span>}
        </span>
      }
      actions={
        <div className={classes.controls}>
          <Controls dashboard={dashboard} />
          <ActionIcon
            size={34}
            variant="default"
            aria-label={switchTo}
            title={switchTo}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? <ChartColumnStacked size={16} /> : <Table2 size={16} />}
          </ActionIcon>
        </div>
      }
    >
      {query.error && !query.data ? (
        <LoadError error={query.error} onRetry={query.refetch} />
      ) : !chart ? (
        <Skeleton height={296} />
      ) : chart.total === 0 ? (
        <div className={classes.empty}>
          <Nothing isUsed={query.data?.some(({ count }) => count > 0) ?? false} />
        </div>
      ) : (
        <Shown dashboard={dashboard} chart={chart} asTable={asTable} />
      )}
    </Panel>
  );
}

function useChart({ view, measure }: Dashboard, rows: QuotaData[] | undefined) {
  return useMemo(
    () => rows && buildChart(rows, barsOf(view, view.unit), { measure, unit: view.unit }),
    [rows, view, measure],
  );
}

interface ShownProps {
  dashboard: Dashboard;
  chart: NonNullable<ReturnType<typeof useChart>>;
  asTable: boolean;
}

function Shown({ dashboard: { view, measure, scope }, chart, asTable }: ShownProps) {
  const navigate = useNavigate();
  const inScope = useScopeRows(scope);
  const [hidden, setHidden] = useState(nothingHidden);
  const shown = useMemo(() => withoutSeries(chart, hidden), [chart, hidden]);
  const toggle = (model: string | null) => {
    const next = new Set(hidden);
    if (!next.delete(model)) next.add(model);
    setHidden(next);
  };
  const open = (index: number) => {
    const bar = chart.bars[index];
    if (!bar) return;
    const rows = { start: bar.start, end: bar.end, ...inScope, type: 2 };
    void navigate({ to: '/log', search: logAddress(rows) });
  };
  if (asTable)
    return (
      <Suspense fallback={<Skeleton height={296} />}>
        <ChartTable chart={chart} measure={measure} unit={view.unit} scope={scope} />
      </Suspense>
    );
  return (
    <>
      <StackedBars chart={shown} measure={measure} unit={view.unit} onOpen={open} />
      <Legend chart={chart} hidden={hidden} onToggle={toggle} />
    </>
  );
}

function Controls({ dashboard: { view, measure, setSearch } }: { dashboard: Dashboard }) {
  const t = useTranslate();
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t(text.measure)}
        data={measures.map((value) => ({ value, label: t(text[value]) }))}
        value={measure}
        onChange={(next) => setSearch({ measure: next })}
      />
      <SegmentedControl
        size="xs"
        aria-label={t(text.unit)}
        data={units.map((value) => ({ value, label: t(text[value]), disabled: !mayShow(value, view) }))}
        value={view.unit}
        onChange={(unit: Unit) => setSearch({ unit })}
      />
      <TimeRange
        choices={spanNames}
        value={view}
        onChange={({ range, start, end }) => range !== 'all' && setSearch({ range, start, end, unit: '' })}
      />
    </>
  );
}

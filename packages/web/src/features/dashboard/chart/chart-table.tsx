import { nothing } from '../../../lib/format/nothing.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { barName, largestOf, useAmount } from './amounts.ts';
import classes from './chart.module.css';
import { LogLink, useScopeRows } from '../base/log-link.tsx';
import type { Scope } from '../base/queries.ts';
import type { Chart, Measure } from '../base/series.ts';
import type { Unit } from '../base/span.ts';
import { text } from '../base/text.ts';

interface ChartTableProps {
  chart: Chart;
  measure: Measure;
  unit: Unit;
  scope: Scope;
}

/** The chart as a table, newest first, for screen readers and for copying. */
export function ChartTable({ chart, measure, unit, scope }: ChartTableProps) {
  const t = useTranslate();
  const language = useLanguage();
  const amount = useAmount(measure, largestOf(chart.bars));
  const inScope = useScopeRows(scope);
  return (
    // Long tables scroll, so the frame must take the focus for the arrow keys.
    <div className={classes.tableFrame} tabIndex={0} role="region" aria-label={t(text.usage)}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t(text.time)}</th>
            <th scope="col">{t(text.total)}</th>
            {chart.series.map(({ model }) => (
              <th key={model ?? ''} scope="col">
                {model ?? t(text.others)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chart.bars.toReversed().map((bar) => (
            <tr key={bar.start}>
              <th scope="row">
                <LogLink rows={{ start: bar.start, end: bar.end, ...inScope, type: 2 }}>
                  {barName(bar, unit, language)}
                </LogLink>
              </th>
              <td>{amount(bar.total)}</td>
              {bar.values.map((value, index) => (
                <td key={chart.series[index]?.model ?? ''}>{value === 0 ? nothing : amount(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

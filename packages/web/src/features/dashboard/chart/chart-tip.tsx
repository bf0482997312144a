import { useTranslate } from '../../../lib/i18n.ts';
import classes from './chart.module.css';
import type { Bar, Series } from '../base/series.ts';
import { text } from '../base/text.ts';

interface ChartTipProps {
  bar: Bar;
  series: readonly Series[];
  name: string;
  amount: (value: number) => string;
  /** Middle of the bar, in pixels of the chart. */
  x: number;
  /** Width of the chart. */
  width: number;
}

/** Below this width the tooltip does not fit beside a bar. */
const roomBeside = 480;

function placeOf(x: number, width: number): { left?: number; right?: number } {
  if (width < roomBeside) return { left: 0, right: 0 };
  return x > width / 2 ? { right: width - x + 14 } : { left: x + 14 };
}

/** The tooltip of a bar, on the side with more room. */
export function ChartTip({ bar, series, name, amount, x, width }: ChartTipProps) {
  const t = useTranslate();
  const rows = series
    .map((one, index) => ({ ...one, value: bar.values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
    // On a narrow chart the tooltip must not hide the chart.
    .slice(0, width < roomBeside ? 3 : series.length);
  return (
    <div className={classes.tip} aria-hidden="true" style={placeOf(x, width)}>
      <div className={classes.tipHead}>
        <span>{name}</span>
        <strong>{amount(bar.total)}</strong>
      </div>
      {rows.map(({ model, colour, value }) => (
        <div key={model ?? ''} className={classes.tipRow}>
          <span className={classes.swatch} data-colour={colour} />
          <span className={classes.tipName}>{model ?? t(text.others)}</span>
          <span>{amount(value)}</span>
        </div>
      ))}
      {rows.length > 0 && <div className={classes.tipHint}>{t(text.seeRows)}</div>}
    </div>
  );
}

import { nothing } from '../../../lib/format/nothing.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import type { Chart, Measure } from '../base/series.ts';
import type { Unit } from '../base/span.ts';
import { text } from '../base/text.ts';
import { barName, largestOf, useAmount } from './amounts.ts';
import classes from './chart.module.css';
import { ChartTip } from './chart-tip.tsx';
import { Drawing } from './drawing.tsx';
import { geometryOf, height } from './geometry.ts';
import { useBarChoice } from './use-bar-choice.ts';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in px, known before the first paint. A drawing that waited for it would be empty at first. */
function useWidth<E extends HTMLElement>(): { ref: RefObject<E | null>; width: number } {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

interface StackedBarsProps {
  chart: Chart;
  measure: Measure;
  unit: Unit;
  /** Opens the rows behind a bar. */
  onOpen: (index: number) => void;
}

/**
 * Bars over time, stacked by model. They are drawn here instead of by a library: they are a few rectangles, which must be
 * fast with hundreds of bars, use theme tokens, and have keyboard control. For assistive technology the chart is a slider
 * over time with a spoken value; the table beside it has all values.
 */
export function StackedBars({ chart, measure, unit, onOpen }: StackedBarsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const { ref, width } = useWidth<HTMLDivElement>();
  const { bars } = chart;
  const amount = useAmount(measure, largestOf(bars));
  const inDollars = measure === 'quota' && display.inCurrency;
  const geometry = geometryOf(chart, { width, inDollars, unitsPerStep: inDollars ? display.perUnit : 1 });
  const { shown, handlers } = useBarChoice(bars.length, geometry, onOpen);
  const current = shown === null ? undefined : bars[shown];
  return (
    <div
      ref={ref}
      className={classes.chart}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={t(text.chartLabel, { measure: t(text[measure]) })}
      aria-valuemin={1}
      aria-valuemax={bars.length}
      aria-valuenow={(shown ?? bars.length - 1) + 1}
      aria-valuetext={current ? `${barName(current, unit, language)}: ${amount(current.total)}` : nothing}
      {...handlers}
    >
      <Drawing chart={chart} unit={unit} geometry={geometry} shown={shown} />
      {current && shown !== null && (
        <ChartTip
          bar={current}
          series={chart.series}
          name={barName(current, unit, language)}
          amount={amount}
          x={geometry.left + (shown + 0.5) * geometry.slot}
          width={width}
        />
      )}
    </div>
  );
}

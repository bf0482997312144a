import { useElementSize } from '@mantine/hooks';
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useLanguage, useSay } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { barLabel, barName, largestOf, tickText, useAmount } from './amounts.ts';
import { BarColumn } from './bar-column.tsx';
import classes from './chart.module.css';
import { ChartTip } from './chart-tip.tsx';
import type { Chart, Measure } from '../base/series.ts';
import type { Unit } from '../base/span.ts';
import { text } from '../base/text.ts';
import { axisWidth, labelled, niceTicks } from './ticks.ts';

interface StackedBarsProps {
  chart: Chart;
  measure: Measure;
  unit: Unit;
  /** Shows the rows behind a bar. */
  onOpen: (index: number) => void;
}

/** Pixels. */
const height = 260;
const margin = { top: 10, right: 2, bottom: 24 };
/** Between a label and the bars. */
const labelGap = 10;
const plotHeight = height - margin.top - margin.bottom;
const widestBar = 46;

/** How far keys move. */
const keySteps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 };

/**
 * Bars over time, stacked by model. Drawn here rather than by a library: it is a few rectangles, and they must be quick
 * with hundreds of bars, themed by tokens, and driven by keys. For assistive technology it is a slider over time whose
 * value is read out; the table beside it has everything else.
 */
export function StackedBars({ chart, measure, unit, onOpen }: StackedBarsProps) {
  const say = useSay();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const { ref, width } = useElementSize();
  const [active, setActive] = useState<number | null>(null);
  const [pressed, setPressed] = useState<number | null>(null);

  const { bars } = chart;
  const largest = largestOf(bars);
  const amount = useAmount(measure, largest);
  const inDollars = measure === 'quota' && display.inCurrency;
  const scale = inDollars ? display.perUnit : 1;
  const ticks = niceTicks(largest / scale, !inDollars);
  const top = (ticks.at(-1) ?? 0) * scale || 1;
  const tickTexts = ticks.map((tick) => tickText(tick, ticks, inDollars));
  const left = axisWidth(tickTexts) + labelGap;
  const plotWidth = Math.max(0, width - left - margin.right);
  const slot = plotWidth / Math.max(1, bars.length);
  const barWidth = Math.max(1, Math.min(widestBar, slot * (slot > 12 ? 0.72 : 0.86)));
  const y = (value: number) => margin.top + plotHeight * (1 - value / top);
  const labels = labelled(bars, unit, plotWidth);
  const shown = active !== null && active < bars.length ? active : null;
  const current = shown === null ? undefined : bars[shown];

  const indexAt = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return x < 0 || x > plotWidth ? null : Math.min(bars.length - 1, Math.floor(x / slot));
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const index = indexAt(event);
    // A finger has no hover: its first tap on a bar shows what it is, the second one opens it.
    setPressed(event.pointerType === 'touch' && index !== shown ? null : index);
    setActive(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = bars.length - 1;
    const from = shown ?? last;
    const step = keySteps[event.key];
    if (step !== undefined) setActive(shown === null ? last : Math.min(last, Math.max(0, from + step)));
    else if (event.key === 'Home') setActive(0);
    else if (event.key === 'End') setActive(last);
    else if (event.key === 'Enter' && shown !== null) onOpen(shown);
    else if (event.key === 'Escape') setActive(null);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={ref}
      className={classes.chart}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={say(text.chartLabel, { measure: say(text[measure]) })}
      aria-valuemin={1}
      aria-valuemax={bars.length}
      aria-valuenow={(shown ?? bars.length - 1) + 1}
      aria-valuetext={current ? `${barName(current, unit, language)}: ${amount(current.total)}` : '–'}
      onKeyDown={onKeyDown}
      onBlur={() => setActive(null)}
      onPointerMove={(event) => setActive(indexAt(event))}
      // A finger leaves as soon as it is lifted; what it tapped stays shown until something else is.
      onPointerLeave={(event) => event.pointerType !== 'touch' && setActive(null)}
      onPointerDown={onPointerDown}
      onClick={() => pressed !== null && onOpen(pressed)}
    >
      <svg width={width} height={height} aria-hidden="true" className={classes.drawing}>
        {ticks.map((tick, index) => (
          <g key={tick}>
            <line className={classes.grid} x1={left} x2={width} y1={y(tick * scale)} y2={y(tick * scale)} />
            <text
              className={classes.tick}
              x={left - labelGap}
              y={y(tick * scale)}
              dy="0.32em"
              textAnchor="end"
            >
              {tickTexts[index]}
            </text>
          </g>
        ))}
        {shown !== null && (
          <rect
            className={classes.cursor}
            x={left + shown * slot}
            y={margin.top}
            width={slot}
            height={plotHeight}
          />
        )}
        {width > 0 &&
          bars.map((bar, index) => (
            <BarColumn
              key={bar.start}
              bar={bar}
              series={chart.series}
              x={left + index * slot + (slot - barWidth) / 2}
              width={barWidth}
              bottom={margin.top + plotHeight}
              pixelsPerUnit={plotHeight / top}
            />
          ))}
        {bars.map((bar, index) => {
          if (!labels.has(index)) return null;
          // The label of the outermost bar must not be cut off.
          const x = Math.min(left + (index + 0.5) * slot, width - 26);
          return (
            <text key={bar.start} className={classes.tick} x={x} y={height - 6} textAnchor="middle">
              {barLabel(bar.start, unit, language)}
            </text>
          );
        })}
      </svg>
      {current && shown !== null && (
        <ChartTip
          bar={current}
          series={chart.series}
          name={barName(current, unit, language)}
          amount={amount}
          x={left + (shown + 0.5) * slot}
          width={width}
        />
      )}
    </div>
  );
}

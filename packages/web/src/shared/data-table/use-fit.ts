import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useLayoutEffect, useRef, useState } from 'react';
import { useLanguage } from '../../lib/i18n.ts';
import type { Column } from './types.ts';

/**
 * Columns a table can do without, the first to go first: those marked `roomy`, then the other facts, then what a card has
 * in its line. The name, the state or main figure, the actions and what fills the rest always stay.
 */
function dispensable<Row>(columns: readonly Column<Row>[]): readonly string[] {
  const rank = ({ roomy, card }: Column<Row>) => (roomy ? 0 : card === 'line' ? 2 : 1);
  return columns
    .filter(({ role, card, fills, fixed }) => !role && card !== 'corner' && !fills && !fixed)
    .toReversed()
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id }) => id);
}

/** Rows that show how wide a table will be. */
const rowsMeasured = 4;

/** Which of the columns must go so that the table is narrower by `missing` px. */
function givenUp(order: readonly string[], table: Element, missing: number): string[] {
  const gone: string[] = [];
  let left = missing;
  for (const id of order) {
    if (left <= 0) break;
    const head = table.querySelector<HTMLElement>(`th[data-column="${id}"]`);
    if (!head) continue;
    gone.push(id);
    left -= head.offsetWidth;
  }
  return gone;
}

/**
 * Gives up columns until the table fits its frame, before the browser paints. A few rows are drawn first to see which: cells
 * of a column that goes are not drawn for all. Wider frames get them back; new rows never do,
 * so that columns do not come and go from page to page.
 *
 * @param chosen - columns a person chose to see or hide: these are left as they are
 * @returns the reference for the frame, the columns without room, and the rows to draw
 */
export function useFit<Row>(
  columns: readonly Column<Row>[],
  chosen: Readonly<Record<string, boolean>>,
  rows: readonly Row[],
) {
  const language = useLanguage();
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const [unfit, setUnfit] = useState<readonly string[]>([]);
  const [isMeasured, setMeasured] = useState(false);
  const [known, setKnown] = useState({ width, columns });
  if (known.width !== width || known.columns !== columns) {
    setKnown({ width, columns });
    if (width > known.width || known.columns !== columns) setUnfit([]);
  }
  useLayoutEffect(() => {
    const missing = frame.current ? frame.current.scrollWidth - frame.current.clientWidth : 0;
    if (rows.length > 0) setMeasured(missing >= 0);
    if (!frame.current || missing <= 0) return;
    const order = dispensable(columns).filter((id) => chosen[id] === undefined);
    const gone = givenUp(order, frame.current, missing);
    if (gone.length > 0) setUnfit((before) => [...before, ...gone]);
  }, [columns, chosen, rows, isMeasured, unfit, width, language]);
  return {
    frameRef: useMergedRef(sizeRef, frame),
    unfit,
    drawn: isMeasured ? rows : rows.slice(0, rowsMeasured),
  };
}

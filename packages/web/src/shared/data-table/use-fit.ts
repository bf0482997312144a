import { useElementSize, useMergedRef } from '@mantine/hooks';
import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLanguage } from '../../lib/i18n.ts';
import type { Column } from './types.ts';

/**
 * Columns that may be hidden, in order: those marked `roomy`, then other facts, then those in a card's line. The name,
 * the state or main figure, the actions and the filling column always stay.
 */
function dispensable<Row>(columns: readonly Column<Row>[]): readonly string[] {
  const rank = ({ roomy, card }: Column<Row>) => (roomy ? 0 : card === 'line' ? 2 : 1);
  return columns
    .filter(({ role, card, fills, fixed }) => !role && card !== 'corner' && !fills && !fixed)
    .toReversed()
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id }) => id);
}

/** Number of rows that are enough to measure the width of a table. */
const rowsMeasured = 4;

/** The columns to hide so that the table is narrower by `missing` px. */
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
 * Hides columns until the table fits its frame, before the browser paints. A few rows are rendered first for measuring,
 * so that cells of hidden columns are not rendered for all rows. A wider frame shows the columns again. New rows never
 * do, so that columns do not change from page to page.
 *
 * @param chosen - columns that a user shows or hides: these are unchanged
 * @returns the reference for the frame, the hidden columns, and the rows to render
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
  // Cells whose data come late may widen a table that fitted.
  const [tableWidth, setTableWidth] = useState(0);
  useEffect(() => {
    const table = frame.current?.firstElementChild;
    if (!isMeasured || !table) return undefined;
    const observer = new ResizeObserver(() => setTableWidth(table.clientWidth));
    observer.observe(table);
    return () => observer.disconnect();
  }, [isMeasured]);
  useLayoutEffect(() => {
    const missing = frame.current ? frame.current.scrollWidth - frame.current.clientWidth : 0;
    if (rows.length > 0) startTransition(() => setMeasured(missing >= 0));
    if (!frame.current || missing <= 0) return;
    const order = dispensable(columns).filter((id) => chosen[id] === undefined);
    const gone = givenUp(order, frame.current, missing);
    if (gone.length > 0) setUnfit((before) => [...before, ...gone]);
  }, [columns, chosen, rows, isMeasured, unfit, width, tableWidth, language]);
  return {
    frameRef: useMergedRef(sizeRef, frame),
    unfit,
    drawn: isMeasured ? rows : rows.slice(0, rowsMeasured),
  };
}

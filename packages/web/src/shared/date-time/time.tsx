import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/format/date-format.ts';
import { useLanguage } from '../../lib/i18n.ts';

interface TimeProps {
  /** Unix seconds. */
  at: number;
  /** Relative time: "3 hours ago". */
  relative?: boolean;
  /** With seconds, for records in quick succession. */
  seconds?: boolean;
  /** An adjacent time, in Unix seconds: on the same day only the time of day is shown, to the second. */
  beside?: number;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Records in quick succession are usually of this year, and their column is wide. */
const withoutThisYear = (exact: string, now: number) =>
  exact.startsWith(formatDateTime(now).slice(0, 5)) ? exact.slice(5) : exact;

/** A time in a table. */
function inTable(exact: string, { seconds = false, beside }: Omit<TimeProps, 'at'>, now: number): string {
  const day = exact.slice(0, 10);
  if (beside !== undefined && formatDateTime(beside).startsWith(day)) return exact.slice(11);
  return seconds ? withoutThisYear(exact, now) : exact.slice(0, -3);
}

/** A moment; the exact one is its tooltip. */
export function Time({ at, relative = false, ...look }: TimeProps) {
  const language = useLanguage();
  const [now] = useState(nowSeconds);
  const exact = formatDateTime(at);
  return (
    <time className="tabular" dateTime={new Date(at * 1000).toISOString()} title={exact}>
      {relative ? formatRelative(at, now, language) : inTable(exact, look, now)}
    </time>
  );
}

import {
  type ComparedReport,
  type ReportRow,
  type ReportState,
  usageFigures,
  type UsagePart,
  type UsageSide,
} from '@tollgate/contract';
import type { upstreamSums } from '../../../store/index.ts';
import type { ReportLine } from './lines.ts';

/** A model name without its date or version suffix: `gpt-4o-2024-08-06`, `…-latest`. */
const familyOf = (name: string): string =>
  name.toLowerCase().replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');

/**
 * The name under which each name of both sides is compared. A vendor may report `gpt-4o` as `gpt-4o-2024-08-06`. If
 * both sides have different names of one family, the family is compared as one.
 */
function comparedNames(ours: Iterable<string>, theirs: Iterable<string>): (name: string) => string {
  const mine = byFamily(ours);
  const others = byFamily(theirs);
  const folded = new Set(
    [...mine.keys()].filter((family) => {
      const there = others.get(family);
      const here = mine.get(family);
      return there && here && (there.size !== here.size || [...here].some((name) => !there.has(name)));
    }),
  );
  return (name) => {
    const family = familyOf(name);
    return folded.has(family) ? family : name.toLowerCase();
  };
}

function byFamily(names: Iterable<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of names) {
    const family = familyOf(name);
    found.set(family, (found.get(family) ?? new Set()).add(name.toLowerCase()));
  }
  return found;
}

/** Our log's figures of one channel, day and pair of names. */
export type OurLine = upstreamSums.UpstreamSum;
type OurSide = NonNullable<ReportRow['ours']>;

export interface Compared {
  rows: ReportRow[];
  ours: OurSide;
  theirs: UsageSide;
  differences: number;
}

interface CompareOptions {
  /** Tolerated difference between figures, in per cent. */
  tolerance: number;
  /** Unix seconds of the query to the vendor: days that had not ended then are incomplete. */
  askedAt: number;
  channelName: (id: number) => string;
}

const daySeconds = 86_400;

interface Pair {
  day: number;
  model: string;
  ours: OurLine[];
  theirs: ReportLine[];
}

/**
 * Compares our log with the vendor's figures, by day and model, the newest day first. No row of either side is
 * omitted.
 */
export function compareLines(
  ours: readonly OurLine[],
  theirs: readonly ReportLine[],
  options: CompareOptions,
): Compared {
  const nameOf = comparedNames(
    ours.map(({ upstream }) => upstream),
    theirs.map(({ model }) => model),
  );
  const pairs = new Map<string, Pair>();
  const pairOf = (day: number, name: string): Pair => {
    const model = nameOf(name);
    const key = `${day} ${model}`;
    const pair = pairs.get(key) ?? { day, model, ours: [], theirs: [] };
    pairs.set(key, pair);
    return pair;
  };
  for (const line of ours) pairOf(line.day, line.upstream).ours.push(line);
  for (const line of theirs) pairOf(line.day, line.model).theirs.push(line);
  const rows = [...pairs.values()]
    .map((pair) => rowOf(pair, options))
    .toSorted((a, b) => b.day - a.day || (a.model < b.model ? -1 : 1));
  return {
    rows,
    ours: ourSide(ours),
    theirs: theirSide(theirs),
    differences: rows.filter(({ state }) => state !== 'equal' && state !== 'open').length,
  };
}

function rowOf({ day, model, ours, theirs }: Pair, options: CompareOptions): ReportRow {
  const mine = ours.length > 0 ? ourSide(ours) : null;
  const other = theirs.length > 0 ? theirSide(theirs) : null;
  return {
    day,
    model,
    names: [...new Set([...ours.map(({ upstream }) => upstream), ...theirs.map((line) => line.model)])],
    state: stateOf(mine, other, options.tolerance),
    incomplete: day + daySeconds > options.askedAt,
    ours: mine,
    theirs: other,
    parts: ours.map((line) => partOf(line, options.channelName(line.channel))),
  };
}

const partOf = (
  { channel, model, calls, input, output, cost, unknown_calls }: OurLine,
  channel_name: string,
): UsagePart => ({ channel, channel_name, model, calls, input, output, cost, unknown_calls });

function ourSide(lines: readonly OurLine[]): OurSide {
  const sum = { calls: 0, input: 0, cached: 0, output: 0, cost: 0, unknown_calls: 0 };
  for (const line of lines) {
    for (const figure of usageFigures) sum[figure] += line[figure];
    sum.unknown_calls += line.unknown_calls;
  }
  return sum;
}

/** Null if no line has the figure. */
function theirSide(lines: readonly ReportLine[]): UsageSide {
  const side: UsageSide = { calls: null, input: null, cached: null, output: null, cost: null };
  for (const line of lines)
    for (const figure of usageFigures) {
      const value = line[figure];
      if (value !== null) side[figure] = (side[figure] ?? 0) + value;
    }
  return side;
}

function stateOf(ours: OurSide | null, theirs: UsageSide | null, tolerance: number): ReportState {
  if (!theirs) return 'only_ours';
  if (!ours) return usageFigures.some((figure) => (theirs[figure] ?? 0) !== 0) ? 'only_theirs' : 'equal';
  const isCostOpen = ours.unknown_calls > 0 && theirs.cost !== null;
  const agrees = usageFigures.every((figure) => {
    const theirFigure = theirs[figure];
    if (theirFigure === null || (figure === 'cost' && isCostOpen)) return true;
    // Each call is rounded to a unit separately.
    const rounding = figure === 'cost' ? (ours.calls ?? 0) : 0;
    const room = Math.max(rounding, (Math.abs(theirFigure) * tolerance) / 100);
    return Math.abs((ours[figure] ?? 0) - theirFigure) <= room;
  });
  if (!agrees) return 'differs';
  return isCostOpen ? 'open' : 'equal';
}

/** Maximum number of returned rows; sums include all. */
const maxRows = 5_000;

/** The returned part of a comparison. */
export const answered = ({ rows, ...rest }: Compared): Omit<ComparedReport, 'report'> => ({
  ...rest,
  rows: rows.slice(0, maxRows),
  truncated: rows.length > maxRows,
});

import { type Usage, type UsageCounter, usageCounters } from '@tollgate/contract';
import { amountScale, LineCursor } from './line-cursor.ts';

/** The content of most rows: token lines, and no other data that affects the price. */
export interface PlainLines {
  usage: Usage;
  billed: number;
  reported: boolean;
}

/** Members that precede the lines, in this order. */
const byTokens = '"model_price":-1,';
const source = '"usage_source":"';
const beginning = '"receipt":{"terms":[';
/** Members of rows that need the full parser; all follow the lines. */
const special =
  /"(?:task_id|price_unset|priced_model|user_group|call_count|web_search|service_tier|max_cost|answer_cache_ratio)":/g;
/** Text of a line after its start, by counter; a bill has lines in the order of the counters. */
const openings = usageCounters.map((counter) => `${counter}","count":`);
/** Position of each counter. */
const at = Object.fromEntries(usageCounters.map((counter, index) => [counter, index])) as Record<
  UsageCounter,
  number
>;

/**
 * Reads the lines of a bill from a row's JSON text in the format of `buildConsumeLog`. It does not parse the whole
 * text, which would take several times as long: a rehearsal reads millions. Quotes inside values are escaped, so no
 * name can be mistaken for a member. Undefined for a row in another format, or with more data.
 */
export function readPlainLines(other: string): PlainLines | undefined {
  const priced = other.indexOf(byTokens);
  const counted = priced === -1 ? -1 : other.indexOf(source, priced);
  const start = counted === -1 ? -1 : other.indexOf(beginning, counted);
  if (start === -1) return undefined;
  const cursor = new LineCursor(other, start + beginning.length);
  const counts = usageCounters.map(() => 0);
  const sum = readLines(cursor, counts);
  if (!cursor.passes('],"minimum":')) return undefined;
  const billed = roundedSum(sum, cursor.count());
  special.lastIndex = cursor.at;
  if (billed === undefined || special.test(other)) return undefined;
  return {
    usage: usageOfCounts(counts),
    billed,
    reported: other.startsWith('upstream"', counted + source.length),
  };
}

/** Reads lines into counts and returns the sum of their amounts, times `amountScale`; NaN for an unreadable line. */
function readLines(cursor: LineCursor, counts: number[]): number {
  let sum = 0;
  let index = 0;
  while (cursor.passes('{"what":"')) {
    while (index < openings.length && !cursor.passes(openings[index]!)) index += 1;
    if (index === openings.length) return NaN;
    const count = cursor.count();
    counts[index] = count;
    if (!Number.isSafeInteger(count) || !cursor.passes(',"unit":"')) return NaN;
    cursor.amount();
    if (!cursor.passes('","amount":"')) return NaN;
    sum += cursor.amount();
    if (!cursor.passes('"}')) return NaN;
    cursor.passes(',');
    index += 1;
  }
  return sum;
}

/** By position: a loop over the names takes as long as the whole read. */
const usageOfCounts = (counts: readonly number[]): Usage => ({
  input: counts[at.input]!,
  cacheRead: counts[at.cacheRead]!,
  cacheWrite5m: counts[at.cacheWrite5m]!,
  cacheWrite1h: counts[at.cacheWrite1h]!,
  imageInput: counts[at.imageInput]!,
  audioInput: counts[at.audioInput]!,
  output: counts[at.output]!,
  reasoning: counts[at.reasoning]!,
  imageOutput: counts[at.imageOutput]!,
  audioOutput: counts[at.audioOutput]!,
  webSearchCalls: counts[at.webSearchCalls]!,
  fileSearchCalls: counts[at.fileSearchCalls]!,
  containers: counts[at.containers]!,
});

/**
 * Sum of lines in quota units, in plain numbers: the result of `recomputeQuota` in a tenth of its time. Undefined if
 * plain numbers would not be exact.
 */
function roundedSum(sum: number, minimum: number): number | undefined {
  if (!Number.isSafeInteger(sum) || !(minimum <= 1)) return undefined;
  const rest = sum % amountScale;
  return Math.max((sum - rest) / amountScale + (rest * 2 >= amountScale ? 1 : 0), minimum);
}

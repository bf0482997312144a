import { type Usage, type UsageCounter, usageCounters, usageOf } from '@tollgate/contract';
import { billSum } from './bill-sum.ts';

/** What nearly every row says: tokens by their lines, and nothing else that a price depends on. */
export interface PlainLines {
  usage: Usage;
  billed: number;
  reported: boolean;
}

const beginning = '"receipt":{"terms":[';
const line = /\{"what":"(\w+)","count":(\d{1,15}),"unit":"[\d.]+","amount":"([\d.]+)"\},?/y;
const ending = /\],"minimum":([01])\}/y;
/** Members of rows that need a closer look, which all stand behind the lines. */
const special = /"(?:task_id|price_unset|call_count|web_search|service_tier)":/g;
const counters: ReadonlySet<string> = new Set(usageCounters);

/**
 * Reads the lines of a bill from a row's JSON text as `buildConsumeLog` writes it, without parsing all of it: a fifth of the
 * time, and a rehearsal reads millions. Quotes inside of values are escaped, so no name can be mistaken for a member.
 * Undefined for a row that is written in any other way, or that has more to say.
 */
export function readPlainLines(other: string): PlainLines | undefined {
  const start = other.indexOf(beginning);
  if (start === -1 || !other.includes('"model_price":-1,')) return undefined;
  const usage = usageOf();
  const terms: { amount: string }[] = [];
  let at = start + beginning.length;
  for (;;) {
    line.lastIndex = at;
    const found = line.exec(other);
    if (!found) break;
    const [whole, what = '', count, amount = ''] = found;
    if (!counters.has(what)) return undefined;
    usage[what as UsageCounter] = Number(count);
    terms.push({ amount });
    at += whole.length;
  }
  ending.lastIndex = at;
  const end = ending.exec(other);
  const billed = end && billSum(terms, end[1] === '1' ? 1 : 0);
  special.lastIndex = ending.lastIndex;
  if (billed === null || special.test(other)) return undefined;
  return { usage, billed, reported: other.includes('"usage_source":"upstream"') };
}

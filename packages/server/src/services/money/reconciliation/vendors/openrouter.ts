import { picoDollars } from './dollars.ts';
import { malformed } from './fault.ts';
import { requireCount, type Fields, requireFields, requireList, nameOf } from './read-fields.ts';
import type { UsageVendor, VendorLine } from './types.ts';

const day = 86_400;
const reachDays = 30;

/**
 * The activity of an account, with a management key (openrouter.ai/docs/api-reference/analytics/get-activity): one
 * response for the last 30 complete days (UTC), with a row for each day, model and endpoint. `usage` is in dollars;
 * `completion_tokens` includes reasoning.
 */
export const openrouter: UsageVendor = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  reach({ start, end }, now) {
    const today = now - (now % day);
    return { start: Math.max(start, today - reachDays * day), end: Math.min(end, today) };
  },
  async read(ask, { start, end }) {
    const answer = requireFields(await ask('/api/v1/activity', new URLSearchParams()), 'the answer');
    const lines = requireList(answer['data'], '"data"').map((row) => readLine(requireFields(row, 'a row')));
    return lines.filter((line) => line.day >= start && line.day < end);
  },
};

function readLine(row: Fields): VendorLine {
  const at = Date.parse(`${nameOf(row['date']).slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at)) throw malformed('"date" is no day');
  const cost = picoDollars(row['usage']);
  if (cost === undefined) throw malformed('"usage" is no amount');
  return {
    day: at / 1_000,
    model: nameOf(row['model']),
    calls: requireCount(row, 'requests') ?? 0,
    input: requireCount(row, 'prompt_tokens') ?? 0,
    output: requireCount(row, 'completion_tokens') ?? 0,
    cost,
  };
}

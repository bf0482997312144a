import { product } from '@tollgate/contract';
import type { Site } from '../support/site.ts';
import type { MovedClock } from './clock.ts';
import type { Caller } from './furnish.ts';
import { type Chance, seeded, wordsOf } from './seeded.ts';
import type { Vendors } from './vendors.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Length of the history. */
export const historyDays = 29;

/** Load of the hours of a day, from midnight on (UTC). */
const busy = [1, 1, 1, 1, 1, 2, 3, 5, 9, 12, 14, 13, 9, 12, 15, 14, 12, 9, 7, 5, 4, 3, 2, 1];

interface Past {
  site: Site;
  clock: MovedClock;
  vendors: Vendors;
  callers: readonly Caller[];
}

async function callOnce(site: Site, caller: Caller, chance: Chance): Promise<void> {
  const model = chance.pick(caller.models);
  const isLong = chance.next() < 0.55;
  const words = isLong ? chance.between(4_000, 24_000) : chance.between(200, 2_400);
  const stream = chance.next() < 0.7;
  const response = await fetch(`${site.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${caller.key}`,
      [product.headers.tags]: `team=${isLong ? 'research' : 'support'}`,
    },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: 2_000,
      messages: [{ role: 'user', content: wordsOf(chance, words) }],
    }),
  });
  await response.text();
}

/** Makes simultaneous calls and waits for all of them. */
async function callTogether(past: Past, calls: number, chance: Chance): Promise<void> {
  const weighted = past.callers.map((item) => ({ item, weight: item.weight }));
  await Promise.all(Array.from({ length: calls }, () => callOnce(past.site, chance.pick(weighted), chance)));
}

/**
 * Plays the last weeks: a few busy hours of each day at first, every hour of the last day, and the last hour
 * at the speed of real models. Afterwards the site is at the present time.
 */
export async function liveThrough(past: Past): Promise<void> {
  const { site, clock, vendors } = past;
  const chance = seeded(1_126);
  const now = Date.now();
  for (let day = historyDays; day >= 2; day -= 1) {
    const midnight = Math.floor((now - day * dayMs) / dayMs) * dayMs;
    // Weekends are quiet, and the site grows.
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const share = (isWeekend ? 0.35 : 1) * (1 - day / 60);
    for (const hour of [9, 11, 14, 16]) {
      await clock.moveTo(site.pid, midnight + hour * hourMs + chance.between(0, hourMs / 2));
      await callTogether(past, Math.max(1, Math.round((busy[hour] ?? 1) * share * 0.5)), chance);
    }
  }
  for (let ago = 30; ago >= 0; ago -= 1) {
    const at = now - ago * hourMs;
    vendors.pace(ago < 3);
    if (ago % 7 === 3) vendors.refuseNext(2);
    await clock.moveTo(site.pid, ago === 0 ? Date.now() : at);
    await callTogether(past, busy[new Date(at).getUTCHours()] ?? 1, chance);
  }
}

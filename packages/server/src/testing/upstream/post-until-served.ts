import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../lib/json.ts';

/** A completely read answer. */
export interface ServedAnswer {
  status: number;
  text: string;
}

/** Seconds. */
const longestWait = 60;

/**
 * Sends a call. If the database is too busy (503) or other calls hold the money (429), it repeats the call after the
 * requested delay, as every client does; not after a delay of minutes, which a budget in tokens may request.
 */
export async function postUntilServed(
  url: string,
  key: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<ServedAnswer> {
  for (;;) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const wait = Number(answer.headers.get('retry-after'));
    const isSoon = wait > 0 && wait < longestWait;
    if ((answer.status !== 503 && answer.status !== 429) || !isSoon) return { status: answer.status, text };
    await sleep(wait * 1_000);
  }
}

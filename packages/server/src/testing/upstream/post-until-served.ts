import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../lib/json.ts';

/** A completely read answer. */
export interface ServedAnswer {
  status: number;
  text: string;
}

/**
 * Sends a call. If the database is too busy (503) or other calls hold the money (429), it repeats the call after the
 * requested delay, as every client does.
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
    if ((answer.status !== 503 && answer.status !== 429) || !(wait > 0))
      return { status: answer.status, text };
    await sleep(wait * 1_000);
  }
}

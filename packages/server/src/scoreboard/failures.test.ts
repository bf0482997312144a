import { expect, it } from 'vitest';
import { eachGatewayFleet } from '../testing/gateway-fleet.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, json } from '../testing/upstream/fake-upstream-scripts.ts';
import type { TestCaller } from '../testing/gateway-harness.ts';
import { sized } from '../testing/scoreboard-size.ts';

const balance = 5_000_000;
const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say something.' }] };

interface Kind {
  name: string;
  upstream?: Behaviour;
  body?: object | string;
  key?: string;
  path?: string;
  /** Hang up before the first byte. */
  hangUp?: boolean;
}

const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504, 529];

/** Fifty kinds of failure without any delivery. */
const kinds: Kind[] = [
  ...statuses.map((status) => ({ name: `upstream ${status}`, upstream: faults.refuse(status) })),
  ...[429, 500, 503].map((status) => ({
    name: `upstream ${status} as a page`,
    upstream: faults.refuse(status, { body: 'html', retryAfter: '1' }),
  })),
  ...[500, 502].map((status) => ({
    name: `upstream ${status} without a body`,
    upstream: faults.refuse(status, { body: 'empty' }),
  })),
  { name: 'reset', upstream: faults.resetAtOnce() },
  { name: 'silence', upstream: faults.stallBeforeHeaders() },
  { name: 'a page with 200', upstream: faults.body('<html>', 'text/html') },
  { name: 'half a JSON', upstream: faults.body('{"id":"x","choices":[') },
  { name: 'an empty body', upstream: faults.body('') },
  { name: 'an error object with 200', upstream: json({ error: { message: 'no', type: 'server_error' } }) },
  { name: 'an error event at once', upstream: faults.errorEvent(0) },
  { name: 'a nameless error event', upstream: faults.errorEvent(0, 'data') },
  { name: 'a stream that ends before its first event', upstream: faults.body('', 'text/event-stream') },
  { name: 'hang-up before the answer', upstream: faults.stallBeforeHeaders(), hangUp: true },
  { name: 'an unknown key', key: 'sk-unknown' },
  { name: 'no key', key: '' },
  { name: 'an unknown model', body: { ...ask, model: 'nothing' } },
  { name: 'a model without a price', body: { ...ask, model: 'unpriced-model' } },
  { name: 'no model', body: { messages: ask.messages } },
  { name: 'no messages', body: { model: ask.model } },
  { name: 'no JSON', body: '{' },
  { name: 'an empty request', body: '' },
  { name: 'a doubled key', body: '{"model":"gpt-4o-mini","model":"gpt-4o","messages":[]}' },
  { name: 'a negative bound', body: { ...ask, max_tokens: -2 } },
  {
    name: 'a bound beyond numbers',
    body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],"max_tokens":1e400}',
  },
  { name: 'half a choice', body: { ...ask, n: 0.5 } },
  { name: 'no choice', body: { ...ask, n: -1 } },
  { name: 'a bad stream flag', body: { ...ask, stream: 'yes' } },
  { name: 'a path that is not there', path: '/v1/chat/nothing' },
  { name: 'a call that is not built', path: '/v1/edits' },
  { name: 'a group that is not there', key: 'suffix' },
  { name: 'a role without text', body: { ...ask, messages: [{}] } },
  { name: 'a list', body: '[]' },
];

/** A failing call of `caller`; returns its status, 0 without one. */
async function fail(url: string, caller: TestCaller, kind: Kind, stream: boolean): Promise<number> {
  const { body = ask, path = '/v1/chat/completions' } = kind;
  const key = kind.key === 'suffix' ? `${caller.key}-999` : (kind.key ?? caller.key);
  const text =
    typeof body === 'string'
      ? body
      : JSON.stringify({ ...body, ...(stream && !('stream' in body) && { stream }) });
  const abort = new AbortController();
  if (kind.hangUp) setTimeout(() => abort.abort(), 30);
  try {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
      body: text,
      signal: abort.signal,
    });
    await answer.text().catch(() => '');
    return answer.status;
  } catch {
    return 0;
  }
}

eachGatewayFleet('Q5 holds leaked', 2, (open, workers) => {
  // A single process gets all calls; with workers, each worker gets each kind.
  const each = workers === 0 ? 20 : sized(20, workers);

  it(
    `are none after ${50 * each} failed requests of 50 kinds, and not a unit is gone`,
    { timeout: 120_000 },
    async () => {
      expect(kinds).toHaveLength(50);
      const fleet = await open({
        env: { STREAMING_TIMEOUT: '1', RELAY_TIMEOUT: '1' },
        models: 'gpt-4o-mini,unpriced-model',
      });
      const caller = await fleet.addCaller({ balance });
      for (const kind of kinds) {
        fleet.upstream.script(kind.upstream ?? 'healthy');
        const answers = await Promise.all(
          Array.from({ length: each }, (_, i) =>
            fail(
              fleet.gates[i % fleet.gates.length]!.url,
              caller,
              kind,
              Math.floor(i / fleet.gates.length) % 2 === 1,
            ),
          ),
        );
        for (const status of answers)
          expect(status === 0 || status >= 400, `${kind.name}: ${status}`).toBe(true);
      }
      await fleet.quiet();
      expect(await fleet.readBalance(caller)).toEqual({ balance, held: 0 });
      expect(await fleet.openHolds()).toBe(0);
      expect(await fleet.findings()).toEqual([]);
    },
  );
});

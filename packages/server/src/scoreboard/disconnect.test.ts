import { beforeAll, expect, it } from 'vitest';
import { createTokenCounter } from '../lib/token-count/token-counter.ts';
import type { JsonObject } from '../lib/json.ts';
import { countRequest } from '../relay/token-count.ts';
import type { FakeExchange } from '../testing/upstream/fake-upstream.ts';
import { chatEvents, sseHeaders } from '../testing/upstream/fake-upstream-scripts.ts';
import type { TestCaller } from '../testing/gateway-harness.ts';
import { eachGatewayFleet } from '../testing/gateway-fleet.ts';
import { sized } from '../testing/scoreboard-size.ts';

const chunks = 100;
const paceMs = 10;
/** At a ratio of 2 and a completion ratio of 1, a token of either kind costs two units. */
const model = 'counted-model';
const unitsPerToken = 2;

/** Text tokens that the upstream sent before it noticed the disconnect, by the mark in the prompt. */
const produced = new Map<string, number>();
let promptTokens = 0;

const promptOf = (mark: number): string => `${'word '.repeat(80)}mark ${String(mark).padStart(4, '0')}`;
const bodyOf = (mark: number): JsonObject => ({
  model,
  stream: true,
  messages: [{ role: 'user', content: promptOf(mark) }],
});

/** Each chunk is one token of the tokenizer; the upstream counts what it writes until the connection closes. */
async function counting(exchange: FakeExchange): Promise<void> {
  const mark = /mark (\d+)/.exec(exchange.body.toString())?.[1] ?? '';
  exchange.head(200, sseHeaders);
  const events = chatEvents(exchange, { chunks, text: () => ' hello', usage: null });
  for (const [index, event] of events.entries()) {
    if (exchange.isGone) return;
    await exchange.write(event);
    if (index > 0 && index <= chunks) produced.set(mark, (produced.get(mark) ?? 0) + 1);
    await exchange.pause(paceMs);
  }
  await exchange.end();
}

beforeAll(async () => {
  promptTokens = await countRequest(createTokenCounter(), 'openai-chat', bodyOf(1), model);
});

/** Reads `events` events of a stream, in reads of any size, then hangs up; returns the request id. */
async function cut(url: string, caller: TestCaller, mark: number, events: number): Promise<string> {
  const abort = new AbortController();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(mark)),
    signal: abort.signal,
  });
  const reader = answer.body!.getReader();
  for (let seen = 0; seen < events;) {
    const { done, value } = await reader.read();
    if (done) break;
    seen += Buffer.from(value).toString('latin1').split('\n\n').length - 1;
  }
  abort.abort();
  return answer.headers.get('x-tollgate-request-id') ?? '';
}

eachGatewayFleet('Q6 disconnect', 2, (open, workers) => {
  const streams = workers === 0 ? sized(500, 200) : sized(500, 60);

  it(
    'the bill is within 2 % of what the upstream produced, which stops with its reader',
    { timeout: 120_000 },
    async () => {
      produced.clear();
      const settings = {
        ModelRatio: JSON.stringify({ [model]: unitsPerToken }),
        CompletionRatio: JSON.stringify({ [model]: 1 }),
      };
      const fleet = await open({ models: model, settings });
      const caller = await fleet.addCaller({ balance: 100_000_000 });
      fleet.upstream.script(counting);
      const ids = new Map<string, string>();
      let next = 0;
      const client = async (): Promise<void> => {
        while (next < streams) {
          const mark = (next += 1);
          const { url } = fleet.gates[mark % fleet.gates.length]!;
          // The cuts are spread evenly between the first chunk and the last.
          ids.set(
            await cut(url, caller, mark, 2 + ((mark * 37) % (chunks - 4))),
            String(mark).padStart(4, '0'),
          );
        }
      };
      await Promise.all(Array.from({ length: 20 }, client));
      await fleet.quiet();
      const rows = await fleet.core.store.db
        .selectFrom('ledger')
        .select(['txn', 'account_delta'])
        .where('kind', '=', 'usage')
        .execute();
      expect(rows).toHaveLength(streams);
      const errors = rows.map(({ txn, account_delta: delta }) => {
        const tokens = promptTokens + (produced.get(ids.get(txn) ?? '') ?? NaN);
        return Math.abs(-delta - tokens * unitsPerToken) / (tokens * unitsPerToken);
      });
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      expect(mean).toBeLessThanOrEqual(0.02);
      // The gateway does not read on after a disconnect: only streams cut near their end were produced completely.
      const whole = [...produced.values()].filter((count) => count === chunks);
      expect(whole.length).toBeLessThan(streams / 4);
      expect(await fleet.openHolds()).toBe(0);
      expect(await fleet.findings()).toEqual([]);
    },
  );
});

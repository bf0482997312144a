import { checkBill, logType, type Bill } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chat, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, doneEvent, event } from '../../testing/upstream/fake-upstream-wire.ts';

// The counting thread may end for any reason. Delivered text is charged all the same (docs/money.md).

let gate: GatewayHarness;
beforeEach(async () => {
  gate = await openGateway();
  const one = JSON.stringify({ 'gpt-4o-mini': 1 });
  await gate.core.settings.setMany({ ModelRatio: one, CompletionRatio: one });
  await gate.addChannel();
  return () => gate.close();
});
afterEach(() => vi.restoreAllMocks());

const noThread = () => Promise.reject(new Error('no thread'));

/** From here on counting fails. */
function breakCounter(): void {
  gate.relay.gateway.countTokens = noThread;
  gate.relay.gateway.countPrompt = noThread;
  gate.relay.gateway.boundPrompt = noThread;
}

const ask = (caller: TestCaller, stream: boolean) =>
  fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      max_tokens: 2_000,
      messages: [{ role: 'user', content: 'Say a few words, please.' }],
      ...(stream && { stream }),
    }),
  });

/** Row of a caller's only call; the terms of the row explain the charge, and the balance shows it. */
async function readRow(caller: TestCaller, before = 5_000_000) {
  await gate.core.ledger.flush();
  const filters = { userId: caller.userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, filters, { offset: 0, limit: 9 });
  expect(rows).toHaveLength(1);
  const [row] = rows;
  const other = JSON.parse(row!.other) as {
    usage_source: string;
    end_reason: string;
    receipt: Omit<Bill, 'quota'>;
  };
  expect(checkBill({ quota: row!.quota, ...other.receipt })).toBe(true);
  expect(await gate.readBalance(caller)).toEqual({ balance: before - row!.quota, held: 0 });
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  return { ...row!, other };
}

/** Records each hold from here on, with its extensions. */
function watchHolds(): () => number {
  const { ledger } = gate.core;
  let held = 0;
  const reserve = ledger.reserve.bind(ledger);
  vi.spyOn(ledger, 'reserve').mockImplementation(async (request) => {
    const given = await reserve(request);
    held += given.amount;
    return given;
  });
  const extend = ledger.extend.bind(ledger);
  vi.spyOn(ledger, 'extend').mockImplementation(async (requestId, more) => {
    const isGiven = await extend(requestId, more);
    if (isGiven) held += more;
    return isGiven;
  });
  return () => held;
}

describe.each([
  ['in one piece', false],
  ['as a stream', true],
])('an answer %s whose tokens cannot be counted', (_, stream) => {
  it('is charged by its bytes, within its hold, and its row shows it', async () => {
    gate.upstream.script(chat({ usage: null, chunks: 40 }));
    const counted = await gate.addCaller();
    await (await ask(counted, stream)).text();
    const exact = await readRow(counted);
    expect(exact.other.usage_source).toBe('counted');

    breakCounter();
    const held = watchHolds();
    const caller = await gate.addCaller();
    const answer = await ask(caller, stream);
    expect(answer.status).toBe(200);
    const words = (await answer.text()).match(/word\d+/g) ?? [];
    expect(words).toHaveLength(40);
    const row = await readRow(caller);
    expect(row.other).toMatchObject({ usage_source: 'estimated', end_reason: 'complete' });
    expect(row.prompt_tokens).toBeGreaterThan(5);
    expect(row.completion_tokens).toBeGreaterThanOrEqual(exact.completion_tokens);
    expect(row.completion_tokens).toBeLessThanOrEqual(words.join(' ').length + 1);
    expect(row.quota).toBeLessThanOrEqual(held());
  });

  it.each([{ prompt_tokens: 30 }, { completion_tokens: 20 }])(
    'is charged what its vendor reported, and an estimate of the other half: %o',
    async (usage) => {
      breakCounter();
      gate.upstream.script(chat({ usage: usage as never, usageWhen: 'always' }));
      const caller = await gate.addCaller();
      await (await ask(caller, stream)).text();
      const row = await readRow(caller);
      expect(row).toMatchObject(usage);
      expect(Math.min(row.prompt_tokens, row.completion_tokens)).toBeGreaterThan(5);
      expect(row.other.usage_source).toBe('estimated');
    },
  );
});

it('an estimate takes no more than the hold, whatever the balance', async () => {
  breakCounter();
  // The vendor reports only the input, and the answer has far more bytes than the requested 2,000 tokens.
  gate.upstream.script(chat({ usage: { prompt_tokens: 30 } as never, usageWhen: 'always', chunks: 1_500 }));
  const held = watchHolds();
  const caller = await gate.addCaller();
  await (await ask(caller, false)).text();
  const row = await readRow(caller);
  expect(row.other.usage_source).toBe('estimated');
  expect(row.quota).toBeGreaterThan(2_000);
  expect(row.quota).toBeLessThanOrEqual(held());
});

it('what was counted before the counter failed is charged as it was counted', async () => {
  const { gateway } = gate.relay;
  const real = { ...gateway };
  let isBroken = false;
  gateway.countTokens = (...asked) => (isBroken ? noThread() : real.countTokens(...asked));
  gateway.countPrompt = (request) => (isBroken ? noThread() : real.countPrompt(request));
  gateway.boundPrompt = (request) => (isBroken ? noThread() : real.boundPrompt(request));
  let passed = 0;
  gateway.clock = () => Date.now() + passed;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: marked, resolve: goOn } = Promise.withResolvers<void>();
  gate.upstream.script(async (exchange) => {
    const word = (content: string): string => event(chatChunk('m', [delta({ content })]));
    exchange.head(200, sseHeaders);
    await exchange.write(word('So: '));
    await begun;
    passed += 1_500;
    await exchange.write(word('many words follow each other, '.repeat(400)));
    await marked;
    await exchange.write(word('an end'));
    await exchange.end(event(chatChunk('m', [delta({}, 'stop')])) + doneEvent);
  });
  const mark = vi.spyOn(gate.core.ledger, 'mark');
  const caller = await gate.addCaller();
  const answer = await ask(caller, true);
  let text = '';
  for await (const chunk of answer.body!) {
    text += Buffer.from(chunk).toString();
    begin();
    if (!text.includes('follow') || isBroken) continue;
    await expect.poll(() => mark.mock.calls.length).toBeGreaterThan(0);
    isBroken = true;
    goOn();
  }
  expect(text).toContain('an end');
  const noted = mark.mock.calls.at(-1)![1];
  const row = await readRow(caller);
  expect(row.other.usage_source).toBe('estimated');
  expect(row.quota).toBeGreaterThan(noted);
  // The bytes of the last words beyond the count, and not the 12,000 of the whole answer.
  expect(row.quota).toBeLessThan(noted + 100);
});

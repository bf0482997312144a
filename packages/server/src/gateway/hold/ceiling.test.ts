import { product } from '@tollgate/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  type Call,
  callProtocols,
  type CallProtocol,
  sendCall,
  talkUntilEnded,
  textCalls,
  waitUntilSettled,
} from '../../testing/worlds/limited-calls.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, doneEvent, event } from '../../testing/upstream/fake-upstream-wire.ts';
import { realtimeModel } from '../../testing/worlds/realtime-world.ts';
import { unitsOf } from './ceiling.ts';

// The charge of a call with a ceiling never exceeds it, to the unit, and the caller always gets a clean end.

let gate: GatewayHarness;
let caller: TestCaller;
/** Model whose vendor ignores limits. */
const endless = 'gpt-4o-endless';

beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  await gate.addChannel({ type: 8, models: endless });
  const atHalf = [endless, 'sandbox', 'sandbox-no-usage', 'sandbox-think'];
  const ratios = { ...Object.fromEntries(atHalf.map((name) => [name, 0.5])), [realtimeModel]: 2.5 };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  caller = await gate.addCaller({ balance: 2_000_000_000 });
  gate.upstream.script(async (exchange) => {
    if ((exchange.json as { stream?: boolean }).stream !== true) {
      const message = { role: 'assistant', content: 'more and more '.repeat(3_000) };
      exchange.head(200, { 'content-type': 'application/json' });
      return exchange.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    }
    exchange.head(200, sseHeaders);
    for (let each = 0; each < 1_000 && !exchange.isGone; each += 1)
      await exchange.write(event(chatChunk(endless, [delta({ content: 'more and more ' })])));
    return exchange.end(event(chatChunk(endless, [delta({}, 'stop')])) + doneEvent);
  });
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

/** End of a stream that was not cut, by protocol. */
const ends: Record<CallProtocol, RegExp> = {
  chat: /data: \[DONE\]\s*$/,
  responses: /event: response\.(completed|incomplete)\s+data: \{.*\}\s*$/,
  messages: /event: message_stop\s+data: \{.*\}\s*$/,
  gemini: /"finishReason":\s*"(STOP|MAX_TOKENS)"/,
};

const send = (call: Call, ceiling: string) =>
  sendCall(gate, caller, call, { [product.headers.maxCost]: ceiling });

const dollarsOf = (units: number): string => (units / 500_000).toFixed(6);

async function ask(protocol: CallProtocol, model: string, text: string, stream: boolean, ceiling: string) {
  const answer = await send(textCalls[protocol](model, text, stream), ceiling);
  const said = await answer.text();
  await waitUntilSettled(gate);
  const row = await gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'other', 'type'])
    .where('request_id', '=', answer.headers.get(product.headers.requestId))
    .where('type', '=', 2)
    .executeTakeFirst();
  const other = row && (JSON.parse(row.other) as { max_cost?: number; end_reason: string });
  return { status: answer.status, said, charged: row?.quota ?? 0, other };
}

/** Errors in an answer to a call that may cost `units`; a complete answer ends with `end`. */
function faultsOf(
  { status, said, charged, other }: Awaited<ReturnType<typeof ask>>,
  units: number,
  end: RegExp,
): string[] {
  const isReached = other?.end_reason === 'ceiling_reached';
  const rules: Record<string, boolean> = other
    ? {
        'is charged at most its ceiling': charged <= units,
        'has the ceiling on its row': other.max_cost === units,
        'ends cleanly': isReached ? said.includes(product.headers.maxCost) : end.test(said),
      }
    : {
        'is refused as such': status === 400,
        'is free': charged === 0,
        'names the ceiling': said.includes(`above its ceiling of $${dollarsOf(units)}`),
      };
  return Object.keys(rules).filter((rule) => rules[rule] === false);
}

describe('a call with a ceiling', () => {
  it.each(callProtocols)('of %s is never charged more, and ends cleanly', async (protocol) => {
    const call = fc.record({
      units: fc.integer({ min: 1, max: 300 }),
      words: fc.integer({ min: 1, max: 120 }),
      stream: fc.boolean(),
      model: fc.constantFrom('sandbox', 'sandbox-no-usage', 'sandbox-think', endless),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ units, words, stream, model }) => {
        const text = 'some words here '.repeat(words);
        const answer = await ask(protocol, model, text, stream, dollarsOf(units));
        expect(faultsOf(answer, units, stream ? ends[protocol] : /^\{[^]*\}$/)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it.each(callProtocols)(
    'of %s is charged its ceiling where a vendor reports hidden reasoning beyond it',
    async (protocol) => {
      gate.upstream.next((exchange) => {
        const message = { role: 'assistant', content: 'hi' };
        const usage = {
          prompt_tokens: 5,
          completion_tokens: 9_000,
          total_tokens: 9_005,
          completion_tokens_details: { reasoning_tokens: 8_999 },
        };
        exchange.head(200, { 'content-type': 'application/json' });
        return exchange.end(
          JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
        );
      });
      const { status, charged } = await ask(protocol, endless, 'hi', false, dollarsOf(1_000));
      expect([status, charged]).toEqual([200, 1_000]);
    },
  );

  it.each(callProtocols)('of %s that fits costs what it costs without one', async (protocol) => {
    const plain = await ask(protocol, 'sandbox', 'hello there', true, '1000');
    const fitting = await ask(protocol, 'sandbox', 'hello there', true, dollarsOf(plain.charged + 20));
    expect([fitting.status, fitting.charged, fitting.other?.end_reason]).toEqual([
      200,
      plain.charged,
      'complete',
    ]);
  });

  it.each(callProtocols)(
    'of %s that it does not cover at all is refused before the vendor is asked',
    async (protocol) => {
      const before = gate.upstream.requests.length;
      const { status, said, charged } = await ask(protocol, endless, 'hello '.repeat(500), true, '0.00001');
      expect([status, charged, gate.upstream.requests.length - before]).toEqual([400, 0, 0]);
      expect(said).toContain('above its ceiling of $0.000010');
    },
  );

  it.each(callProtocols)('of %s is refused where the header is no amount', async (protocol) => {
    for (const wrong of ['', 'cheap', '-1', '$1', '1e3', 'NaN', '0.05 USD']) {
      const { status, said, charged } = await ask(protocol, 'sandbox', 'hi', false, wrong);
      expect([wrong, status, charged]).toEqual([wrong, 400, 0]);
      expect(said).toContain(product.headers.maxCost);
    }
  });
});

describe('a ceiling', () => {
  it('bounds a quote, which is refused as the call is', async () => {
    const body = { model: 'sandbox', messages: [{ role: 'user', content: 'hi' }] };
    const quote = await send(['/v1/quote', body], '0.0002');
    expect(await quote.json()).toMatchObject({ most: { quota: 100, bound_by: 'ceiling' } });
    const refused = await send(['/v1/quote', body], '0.000002');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('$0.000002')]);
  });

  it.each([
    ['/v1/images/generations', { model: 'sandbox-image', prompt: 'a hat' }],
    ['/v1/videos', { model: 'sandbox-video', prompt: 'a hat' }],
  ])('below the price of what is made whole refuses it: %s', async (path, body) => {
    const before = await gate.readBalance(caller);
    const refused = await send([path, body], '0.000002');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('$0.000002')]);
    expect(await gate.readBalance(caller)).toEqual(before);
  });

  it('bounds a whole realtime session, with all of its responses', async () => {
    const talker = await gate.addCaller({ balance: 1_000_000 });
    const end = await talkUntilEnded(gate, talker, { [product.headers.maxCost]: '0.004' });
    expect(end).toMatchObject({ error: { code: expect.stringMatching(/^max_cost_/) }, closeCode: 1008 });
    const { balance, held } = await gate.readBalance(talker);
    expect([held, 1_000_000 - balance <= 2_000, 1_000_000 - balance > 0]).toEqual([0, true, true]);
  });
});

describe('an amount in dollars', () => {
  it('that was computed in floating point has the units of its exact value', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(steps, (units) => {
        const dollars = units.reduce((sum, each) => sum + each / 500_000, 0);
        const exact = units.reduce((sum, each) => sum + each, 0);
        expect(unitsOf(dollars, 500_000)).toBe(exact);
        expect(unitsOf(String(exact / 500_000), 500_000)).toBe(exact);
      }),
    );
  });

  it.each([
    [0.1 + 0.2, 150_000],
    ['0.30000000000000004', 150_000],
    [1 - 0.9, 50_000],
    [3.999e-6, 1],
    [4e-7, 0],
    [0, 0],
  ])('is rounded down: %s', (amount, units) => expect(unitsOf(amount, 500_000)).toBe(units));

  it.each([-1, -1e-9, Infinity, 1e21, '-1', '4e-7', '1e3', '0x1', ''])('is none: %s', (amount) =>
    expect(unitsOf(amount, 500_000)).toBeUndefined(),
  );
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import { eachGatewayFleet } from '../testing/gateway-fleet.ts';
import { sized } from '../testing/scoreboard-size.ts';

const balance = 50_000_000;
const model = 'gpt-4o';
/** 1.25 per input token, four times that per output token (docs/compatibility.md#default-prices). */
const priceOf = (input: number, output: number): number =>
  Math.max(1, Math.round((input + output * 4) * 1.25));
const honest = priceOf(10, 5);

const models = `${model},babbage-002,text-embedding-3-small`;
const settings = {
  ModelRatio: JSON.stringify({ [model]: 1.25, 'babbage-002': 1.25, 'text-embedding-3-small': 1.25 }),
  CompletionRatio: JSON.stringify({ 'babbage-002': 4 }),
};

/** JSON texts that a number may be replaced with. */
const numbers = [
  '0',
  '-0',
  '-1',
  '-1e9',
  '0.5',
  '-0.5',
  '1e308',
  '-1e308',
  '1e400',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '-9223372036854775808',
  '"9"',
  '"-1"',
  '""',
  'null',
  'true',
  '[]',
  '[5]',
  '{}',
  '"NaN"',
  '1e-9',
  '3.0000001',
  '"0x10"',
  '4294967296',
  '99999999999999999999',
  '-2147483649',
];
const chatFields = ['max_tokens', 'max_completion_tokens', 'n', 'stream', 'top_logprobs', 'seed'];

interface Body {
  path: string;
  text: string;
}

const chat = (extra: string, streaming = ''): Body => ({
  path: '/v1/chat/completions',
  text: `{"model":"${model}","messages":[{"role":"user","content":"x"}]${streaming},${extra}}`,
});
const completion = (extra: string): Body => ({
  path: '/v1/completions',
  text: `{"model":"babbage-002","prompt":"x",${extra}}`,
});

/** 400 bodies with malicious numbers. */
const bodies: Body[] = [
  ...chatFields.flatMap((field) => numbers.map((number) => chat(`"${field}":${number}`))),
  ...['max_tokens', 'n', 'max_completion_tokens'].flatMap((field) =>
    numbers.map((number) => chat(`"${field}":${number}`, ',"stream":true')),
  ),
  ...['max_tokens', 'n', 'best_of'].flatMap((field) =>
    numbers.map((number) => completion(`"${field}":${number}`)),
  ),
  ...numbers.map((number) => chat(`"max_tokens":5,"max_completion_tokens":${number}`)),
  ...numbers.map((number) => chat(`"stream_options":{"include_usage":${number}}`, ',"stream":true')),
  ...[
    'gpt-4o ',
    ' gpt-4o',
    'GPT-4O',
    'gpt-4o-free',
    'unknown',
    '',
    'gpt-4o\\u0000',
    '../gpt-4o',
    '*',
    'gpt-4o,gpt-4o-mini',
  ].map((name) => ({
    path: '/v1/chat/completions',
    text: `{"model":"${name}","messages":[{"role":"user","content":"x"}]}`,
  })),
].slice(0, 400);

async function send(url: string, caller: TestCaller, { path, text }: Body): Promise<number> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: text,
  });
  await answer.text();
  return answer.status;
}

/** Usage that an upstream may report, with the minimum and maximum charge for it. */
const usages: [name: string, usage: unknown, least: number, most: number][] = [
  ['nothing', undefined, 1, 1_000],
  ['null', null, 1, 1_000],
  ['an empty object', {}, 1, 1_000],
  ['a text', 'free', 1, 1_000],
  ['a list', [1, 2], 1, 1_000],
  ['zeros', usageBody(0, 0), 0, 1_000],
  ['negative numbers', { prompt_tokens: -10, completion_tokens: -5, total_tokens: -15 }, 1, 1_000],
  ['a negative output', { prompt_tokens: 10, completion_tokens: -5, total_tokens: 5 }, priceOf(10, 0), 1_000],
  ['a negative total', { prompt_tokens: 10, completion_tokens: 5, total_tokens: -15 }, honest, honest],
  ['floats', { prompt_tokens: 10.7, completion_tokens: 5.2 }, priceOf(10, 5), priceOf(11, 6)],
  ['texts of digits', { prompt_tokens: '10', completion_tokens: '5' }, 1, 1_000],
  [
    'more cached than there was',
    { ...usageBody(10, 5), prompt_tokens_details: { cached_tokens: 1_000_000 } },
    priceOf(0, 5),
    honest,
  ],
  [
    'negative cache',
    { ...usageBody(10, 5), prompt_tokens_details: { cached_tokens: -1_000 } },
    honest,
    honest,
  ],
  [
    'more reasoning than output',
    { ...usageBody(10, 5), completion_tokens_details: { reasoning_tokens: 99_999 } },
    honest,
    honest,
  ],
  [
    'negative audio',
    {
      ...usageBody(10, 5),
      completion_tokens_details: { audio_tokens: -50 },
      prompt_tokens_details: { audio_tokens: -5 },
    },
    honest,
    honest,
  ],
  ['numbers beyond exact ones', { prompt_tokens: 2 ** 63, completion_tokens: 2 ** 63 }, 1, balance],
  ['infinities', { prompt_tokens: 1e308, completion_tokens: 1e308 }, 1, balance],
];

/** An answer that reports this usage. */
const reporting = (usage: unknown): object => ({
  ...(chatBody(model, 'word0 word1 word2 ', usageBody(10, 5)) as object),
  usage,
});

const isPossible = (status: number, cost: number, least: number, most: number): boolean =>
  [200, 502].includes(status) && cost >= (status === 200 ? least : 0) && cost <= most;

describe('Q12 free or negative requests by number tricks', () => {
  let gate: GatewayHarness;
  let caller: TestCaller;

  beforeAll(async () => {
    gate = await openGateway();
    await gate.addChannel({ models });
    await gate.core.settings.setMany(settings);
  });
  afterAll(() => gate.close());
  afterEach(async () => {
    await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
    await gate.checkAtRest();
  });
  const spent = async (): Promise<number> => {
    await gate.core.ledger.flush();
    return balance - (await gate.readBalance(caller)).balance;
  };

  it('are none of 400 bodies: each is refused at no cost, or served at its full price', async () => {
    expect(bodies).toHaveLength(400);
    gate.upstream.script('healthy');
    caller = await gate.addCaller({ balance });
    let served = 0;
    let before = 0;
    for (const body of bodies) {
      const upstream = gate.upstream.requests.length;
      const status = await send(gate.url, caller, body);
      await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
      const now = await spent();
      const wasCalled = gate.upstream.requests.length > upstream;
      expect(status === 200, `${body.text}: ${status}`).toBe(wasCalled);
      // The completion script counts its five words too; usage is 10 and 5 either way.
      expect(now - before, body.text).toBe(wasCalled ? honest : 0);
      if (wasCalled) served += 1;
      before = now;
    }
    expect(served).toBeGreaterThan(50);
    expect(served).toBeLessThan(350);
  });

  it.each(usages)(
    'by an upstream that reports %s: a cost within bounds, never below zero',
    async (_name, usage, least, most) => {
      caller = await gate.addCaller({ balance });
      gate.upstream.script(json(reporting(usage)));
      const status = await send(gate.url, caller, chat('"n":1'));
      const cost = await spent();
      expect(isPossible(status, cost, least, most), `${status}, ${cost}`).toBe(true);
    },
  );
});

eachGatewayFleet('Q12 number tricks', 2, (open) => {
  it('give no free or negative request, whichever worker they come to', { timeout: 120_000 }, async () => {
    const fleet = await open({ models, settings });
    const spentBy = async (caller: TestCaller): Promise<number> =>
      balance - (await fleet.readBalance(caller)).balance;
    let turn = 0;
    const nextUrl = (): string => fleet.gates[turn++ % fleet.gates.length]!.url;
    fleet.upstream.script('healthy');
    const tried = bodies.filter((_, index) => index % sized(1, 3) === 0);
    let served = 0;
    // One caller per client, so that the charge of a body is known.
    const client = async (): Promise<void> => {
      const caller = await fleet.addCaller({ balance });
      let before = 0;
      for (let body = tried.pop(); body; body = tried.pop()) {
        const status = await send(nextUrl(), caller, body);
        const now = await spentBy(caller);
        expect(now - before, `${body.text}: ${status}`).toBe(status === 200 ? honest : 0);
        if (status === 200) served += 1;
        before = now;
      }
    };
    await Promise.all(Array.from({ length: 12 }, client));
    expect(served).toBeGreaterThan(20);
    fleet.upstream.script((exchange) =>
      json(reporting(usages[Number(exchange.json()['user'])]?.[1]))(exchange),
    );
    await Promise.all(
      usages.map(async ([, , least, most], index) => {
        const caller = await fleet.addCaller({ balance });
        const status = await send(nextUrl(), caller, chat(`"n":1,"user":"${index}"`));
        const cost = await spentBy(caller);
        expect(isPossible(status, cost, least, most), `${index}: ${status}, ${cost}`).toBe(true);
      }),
    );
    await fleet.quiet();
    expect(await fleet.openHolds()).toBe(0);
    expect(await fleet.findings()).toEqual([]);
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countRequest, countText } from '../../relay/token-count.ts';
import { answerEvents, type TextProtocol } from '../../testing/upstream/answer-events.ts';
import { textOfEvents } from '../../testing/upstream/content-of-events.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// The gateway delivers only what is held for, in every protocol, for all splits of the upstream's answer into reads
// and all balances. Every token costs one quota unit here.

const counter = createTokenCounter();
const pieces = [
  'Sure: ',
  '1,2,3,4,5,6,7,8,9;',
  '\u{1F9D1}\u200D\u{1F680}',
  '你好嗎龘',
  'const a=[[0]];',
  ' and so on',
  '\n\n',
  '\\"',
]
  .concat(Array.from({ length: 30 }, (_, index) => ` ${index}:ab`))
  .concat(['ሰላም', 'The end', '.']);

/** The upstream's text, and its length. */
let talk = { pieces, text: pieces.join(''), tokens: 0 };

async function sayNext(parts: string[]): Promise<void> {
  const text = parts.join('');
  talk = { pieces: parts, text, tokens: await countText(counter, text, models.chat) };
}

const models = {
  chat: 'gpt-4o-chat',
  own: 'gpt-4o-own',
  messages: 'gpt-4o-messages',
  gemini: 'gpt-4o-gemini',
};
type Upstream = keyof typeof models;

const pairs: [caller: TextProtocol, upstream: Upstream][] = [
  ['openai-chat', 'chat'],
  ['openai-completions', 'own'],
  ['openai-responses', 'own'],
  ['anthropic-messages', 'messages'],
  ['gemini', 'gemini'],
  ['openai-chat', 'messages'],
  ['openai-chat', 'gemini'],
  ['openai-responses', 'chat'],
  ['openai-responses', 'messages'],
  ['openai-responses', 'gemini'],
  ['anthropic-messages', 'chat'],
  ['anthropic-messages', 'gemini'],
  ['gemini', 'chat'],
  ['gemini', 'messages'],
];

const spoken = 'Count, please: 1,2,3;';
const requests: Record<TextProtocol, (model: string) => [path: string, body: JsonObject]> = {
  'openai-chat': (model) => [
    '/v1/chat/completions',
    { model, stream: true, messages: [{ role: 'user', content: spoken }] },
  ],
  'openai-completions': (model) => ['/v1/completions', { model, stream: true, prompt: spoken }],
  'openai-responses': (model) => ['/v1/responses', { model, stream: true, input: spoken }],
  'anthropic-messages': (model) => [
    '/v1/messages',
    { model, stream: true, max_tokens: 4_000, messages: [{ role: 'user', content: spoken }] },
  ],
  gemini: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: spoken }] }] },
  ],
};

function protocolAt(path: string): TextProtocol {
  if (path.includes('/chat/completions')) return 'openai-chat';
  if (path.includes('/completions')) return 'openai-completions';
  if (path.includes('/responses')) return 'openai-responses';
  return path.includes('/messages') ? 'anthropic-messages' : 'gemini';
}

/** Split of an answer's bytes into writes; each write is one read. */
const cuts: Record<string, (events: readonly string[]) => Buffer[]> = {
  'in one read': (events) => [Buffer.from(events.join(''))],
  'event by event': (events) => events.map((one) => Buffer.from(one)),
  'with its last events together': (events) => [
    Buffer.from(events.slice(0, 9).join('')),
    Buffer.from(events.slice(9).join('')),
  ],
  'within events and characters': (events) => {
    const all = Buffer.from(events.join(''));
    const step = Math.ceil(all.length / 7) | 1;
    return Array.from({ length: 7 }, (_, index) => all.subarray(index * step, (index + 1) * step));
  },
};

const farthestCuts = ['in one read', 'within events and characters'];
const cutParts = [
  { tags: [], names: farthestCuts },
  { tags: ['deep'], names: Object.keys(cuts).filter((name) => !farthestCuts.includes(name)) },
];

let gate: GatewayHarness;
/** The vendor's count of the running call's input. */
let input = 0;
let cut: (events: readonly string[]) => Buffer[] = cuts['in one read']!;

beforeAll(async () => {
  gate = await openGateway();
  await sayNext(pieces);
  await gate.addChannel({ type: 31, models: models.chat });
  await gate.addChannel({ type: 1, models: models.own });
  await gate.addChannel({ type: 14, models: models.messages });
  await gate.addChannel({ type: 24, models: models.gemini });
  const each = (value: number) =>
    JSON.stringify(Object.fromEntries(Object.values(models).map((name) => [name, value])));
  await gate.core.settings.set('ModelRatio', each(1));
  await gate.core.settings.set('CompletionRatio', each(1));
  gate.upstream.script(async (exchange) => {
    exchange.head(200, sseHeaders);
    const events = answerEvents[protocolAt(exchange.path)]({
      pieces: talk.pieces,
      input,
      output: talk.tokens,
    });
    for (const part of cut(events)) {
      if (exchange.isGone) return;
      await exchange.write(part);
      await exchange.turn();
    }
    await exchange.end();
  });
});
afterAll(() => gate.close());

async function writtenOff(): Promise<number> {
  const rows = await gate.core.store.db.selectFrom('ledger').select('writeoff_delta').execute();
  return rows.reduce((sum, { writeoff_delta: delta }) => sum - delta, 0);
}

/** Sends a call. Returns its answer and charge after settlement. */
async function send(
  protocol: TextProtocol,
  model: string,
  key: string,
  headers: Record<string, string> = {},
) {
  const [path, body] = requests[protocol](model);
  input = await countRequest(counter, protocol, { ...body, model }, model);
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      connection: 'close',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const stream = await answer.text();
  await expect.poll(() => gate.relay.gateway.running.size, { interval: 2 }).toBe(0);
  await gate.core.ledger.flush();
  return { status: answer.status, stream };
}

/** Sends a call of a caller with this balance. Returns the received answer and the charge. */
async function ask(protocol: TextProtocol, model: string, funds: { balance: number; allowance?: number }) {
  const caller = await gate.addCaller(funds);
  const { status, stream } = await send(protocol, model, caller.key);
  const { balance, held } = await gate.readBalance(caller);
  expect(held).toBe(0);
  const text = status === 200 ? textOfEvents(protocol, stream) : '';
  return { status, stream, text, paid: funds.balance - balance };
}

interface Answer {
  status: number;
  stream: string;
  text: string;
  paid: number;
}

/** Bytes of the longest piece if it is longer than usual. A balance that does not cover such a piece may remain. */
const longestPiece = (): number =>
  Math.max(0, ...talk.pieces.map((piece) => Buffer.byteLength(piece)).filter((bytes) => bytes > 25));

/** Errors in an answer of `tokens` tokens to a caller with this balance. */
function faultsOf({ status, stream, text, paid }: Answer, balance: number, tokens: number): string[] {
  const isWhole = text === talk.text;
  const rules: Record<string, boolean> =
    status === 200
      ? {
          'is the beginning of the answer': talk.text.startsWith(text),
          'costs what was delivered': paid === input + tokens,
          'says why it ends early': isWhole || stream.includes('quota'),
          'uses the balance up to the next piece': isWhole || balance - paid < 25 + longestPiece(),
          'is whole where the balance is enough': isWhole || balance < input + talk.tokens,
        }
      : {
          'is refused for the balance': status === 403,
          'is refused for free': paid === 0,
          'is refused only where nothing can begin': balance < input + 16,
        };
  return Object.keys(rules).filter((rule) => rules[rule] === false);
}

describe.each(pairs)('a caller of %s before an upstream of %s', (protocol, upstream) => {
  const model = models[upstream];

  for (const { tags, names } of cutParts)
    it.each(names)(
      'gets what the balance pays for, and is charged for what came: %s',
      { tags },
      async (name) => {
        cut = cuts[name]!;
        for (const share of [0, 0.02, 0.35, 0.8, 0.995, 1]) {
          const least = input === 0 ? 0 : input + 16;
          const balance = share === 0 ? 1 : Math.max(least, Math.ceil(60 + talk.tokens * share));
          const answer = await ask(protocol, model, { balance });
          const tokens = await countText(counter, answer.text, model);
          const about = `a balance of ${balance} for ${input} + ${talk.tokens}: ${answer.stream.slice(-300)}`;
          expect(faultsOf(answer, balance, tokens), about).toEqual([]);
        }
        expect(await writtenOff()).toBe(0);
        expect(await gate.findings()).toEqual([]);
      },
    );

  it('gets what the allowance of the key pays for, whatever the balance of its owner', async () => {
    cut = cuts['in one read']!;
    const allowance = 60 + Math.ceil(talk.tokens / 2);
    const { text, paid, stream } = await ask(protocol, model, { balance: 1_000_000, allowance });
    expect(paid, stream).toBe(input + (await countText(counter, text, model)));
    expect(paid).toBeLessThanOrEqual(allowance);
    expect(text.length).toBeGreaterThan(20);
  });

  for (const { tags, names } of cutParts)
    it.each(names)(
      'gets the same answer again by its Idempotency-Key, for free: %s',
      { tags },
      async (name) => {
        cut = cuts[name]!;
        for (const share of [0.1, 0.5, 0.9, 1.1]) {
          const balance = 60 + Math.ceil(talk.tokens * share);
          const caller = await gate.addCaller({ balance });
          const headers = { 'idempotency-key': `${protocol}-${upstream}-${share}` };
          const first = await send(protocol, model, caller.key, headers);
          const { balance: left } = await gate.readBalance(caller);
          const answer = { ...first, text: textOfEvents(protocol, first.stream), paid: balance - left };
          const tokens = await countText(counter, answer.text, model);
          expect(faultsOf(answer, balance, tokens), first.stream.slice(-300)).toEqual([]);
          expect(answer.text.length).toBeGreaterThan(0);
          expect(await send(protocol, model, caller.key, headers)).toEqual(first);
          expect(await gate.readBalance(caller)).toEqual({ balance: left, held: 0 });
        }
        expect(await writtenOff()).toBe(0);
      },
    );
});

/** Scripts with many tokens per character, or many characters per token. */
const writing = fc.oneof(
  fc.string({
    unit: fc.constantFrom('=>', '[', ']', '{', '(', ';', '\n', '  ', '"', '\\', '0', '1', ','),
    maxLength: 30,
  }),
  fc.string({
    unit: fc.constantFrom(...Array.from('龘靐齉ሰላምကြီး\u{1F9D1}\u{1F680}\u{1D54F}\u0301\u200d')),
    maxLength: 20,
  }),
  fc.string({ unit: fc.constantFrom('the', ' quick', ' fox', '.', ' runs'), maxLength: 30 }),
  fc.base64String({ maxLength: 60 }),
);

/** Reads of this many bytes, cut at any position. */
const cutEvery =
  (step: number) =>
  (events: readonly string[]): Buffer[] => {
    const all = Buffer.from(events.join(''));
    return Array.from({ length: Math.ceil(all.length / step) }, (_, index) =>
      all.subarray(index * step, (index + 1) * step),
    );
  };

describe('any text', () => {
  const talks = fc.array(
    writing.filter((piece) => piece.trim() !== ''),
    { minLength: 1, maxLength: 20 },
  );
  const steps = fc.integer({ min: 10, max: 3_000 });
  const shares = fc.double({ min: 0, max: 1.1, noNaN: true });

  it.each(pairs)(
    'is held for before it is delivered to %s by %s, cut anywhere',
    async (protocol, upstream) => {
      const model = models[upstream];
      await fc.assert(
        fc.asyncProperty(talks, steps, shares, async (parts, step, share) => {
          await sayNext(parts);
          cut = cutEvery(step);
          const balance = 60 + Math.ceil(talk.tokens * share);
          const answer = await ask(protocol, model, { balance });
          const tokens = await countText(counter, answer.text, model);
          expect(faultsOf(answer, balance, tokens), answer.stream.slice(-300)).toEqual([]);
          expect(await writtenOff()).toBe(0);
        }),
        { numRuns: 8 },
      );
    },
  );
});

describe('an upstream that answers a stream in one piece of JSON', () => {
  it('is delivered only where the balance covers it', async () => {
    await sayNext(pieces);
    for (const share of [0.2, 0.5, 1]) {
      gate.upstream.next(async (exchange) => {
        const body = chatBody(models.own, talk.text, usageBody(input, talk.tokens));
        exchange.head(200, { 'content-type': 'application/json' });
        await exchange.end(JSON.stringify(body));
      });
      const balance = 60 + Math.ceil(talk.tokens * share);
      const { stream, paid } = await ask('openai-chat', models.own, { balance });
      const isWhole = share === 1;
      expect(stream.includes('The end'), stream).toBe(isWhole);
      expect(paid).toBe(isWhole ? input + talk.tokens : input);
    }
    expect(await writtenOff()).toBe(0);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { lockSqlite } from '../../testing/lock-sqlite.ts';
import type { FakeExchange } from '../../testing/upstream/fake-upstream.ts';
import { chat, chatEvents, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, errorBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type AnswerMove, answerMoved, answerMoves } from './answer.ts';

// The whole gateway makes every move of the table, with real sockets, a real ledger and callers who disconnect. A
// token costs one quota unit. Each test has its own channel, so that failures of one test do not affect another.

let gate: GatewayHarness;
let caller: TestCaller;
/** Moves of the running test, as `from event to`. */
let moves: string[] = [];
const made = new Set<string>();
const models = Array.from({ length: 40 }, (_, index) => `model-${index}`);
let used = 0;

const nameOf = ({ from, event, to }: AnswerMove): string => `${from} ${event} ${to}`;
const listen = (move: unknown): void => {
  moves.push(nameOf(move as AnswerMove));
  made.add(nameOf(move as AnswerMove));
};

beforeAll(async () => {
  gate = await openGateway();
  const ones = JSON.stringify(Object.fromEntries(models.map((name) => [name, 1])));
  await gate.core.settings.set('ModelRatio', ones);
  await gate.core.settings.set('CompletionRatio', ones);
  caller = await gate.addCaller();
  answerMoved.subscribe(listen);
});
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
  moves = [];
});
afterAll(async () => {
  answerMoved.unsubscribe(listen);
  await gate.close();
});

interface Asked {
  /** The channel reads the answer to its end after the caller disconnects. */
  drain?: boolean;
  stream?: boolean;
  by?: TestCaller;
  /** Runs after the channel is created and before the call. */
  before?: () => Promise<void>;
}

/** Sends a call. The upstream answers it with `script`. */
async function ask(
  script: (exchange: FakeExchange) => unknown,
  { drain, stream = true, by, before }: Asked = {},
) {
  const model = models[used++]!;
  await gate.addChannel({ models: model, setting: JSON.stringify({ drain: drain === true }) });
  gate.upstream.next(async (exchange) => void (await script(exchange)));
  await before?.();
  const leaving = new AbortController();
  const answer = fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${(by ?? caller).key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
    signal: leaving.signal,
  });
  answer.catch(() => undefined);
  return {
    answer,
    leave: () => leaving.abort(),
    /** The whole answer, or the part before the break. */
    text: async () => (await answer).text().catch(() => ''),
    firstBytes: async () => void (await (await answer).body!.getReader().read()),
  };
}

async function moved(event: string): Promise<void> {
  await expect.poll(() => moves.some((move) => move.split(' ')[1] === event)).toBe(true);
}
async function over(): Promise<void> {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
}

/** Upstream that continues its answer at the test's signal. */
function held(begin: (exchange: FakeExchange) => unknown, rest: (exchange: FakeExchange) => unknown) {
  const latch = Promise.withResolvers<void>();
  const script = async (exchange: FakeExchange): Promise<void> => {
    await begin(exchange);
    await Promise.race([latch.promise, exchange.closed]);
    if (!exchange.isGone) await rest(exchange);
  };
  return { script, goOn: () => latch.resolve() };
}

const nothing = (): void => undefined;
const goodHead = (exchange: FakeExchange): void => exchange.head(200, sseHeaders);
const badHead = async (exchange: FakeExchange): Promise<void> => {
  exchange.head(500, { 'content-type': 'application/json' });
  await exchange.write('{"error":');
};
const restOfError = (exchange: FakeExchange) => exchange.end('{"message":"no"}}');
const words = (exchange: FakeExchange, count = 3): string[] =>
  chatEvents(exchange, { chunks: 10 }).slice(0, count + 1);
const someWords = async (exchange: FakeExchange): Promise<void> => {
  goodHead(exchange);
  await exchange.write(words(exchange).join(''));
};
const restOfWords = (exchange: FakeExchange) =>
  exchange.end(chatEvents(exchange, { chunks: 10, usageWhen: 'always' }).slice(4).join(''));
const cut = (exchange: FakeExchange) => exchange.fin();
/** Far more than the first hold of any caller. */
const longText = 'many words follow each other, '.repeat(20_000);

describe('an upstream that', () => {
  it('answers with success', async () => {
    const { text } = await ask(chat());
    await text();
    await over();
    expect(moves).toEqual(['asked head opening', 'opening begin streaming', 'streaming complete whole']);
  });

  it('refuses', async () => {
    const { text } = await ask(json(errorBody('no', 'server_error', null), 500));
    await text();
    expect(moves).toEqual(['asked refusal refused', 'refused fail failed']);
  });

  it('closes the connection before its head', async () => {
    const { text } = await ask((exchange) => exchange.cut());
    await text();
    expect(moves).toEqual(['asked fail failed']);
  });

  it('breaks off before its answer has content', async () => {
    const { text } = await ask(async (exchange) => {
      goodHead(exchange);
      await cut(exchange);
    });
    await text();
    expect(moves).toEqual(['asked head opening', 'opening fail failed']);
  });

  it('breaks off within its answer', async () => {
    const { script, goOn } = held(someWords, cut);
    const { firstBytes } = await ask(script);
    await firstBytes();
    goOn();
    await over();
    expect(moves.slice(1)).toEqual(['opening begin streaming', 'streaming break broken']);
  });

  it('breaks off while its first content waits for a durable hold', async () => {
    // From here on the payer is known and its holds are in memory.
    await (await ask(chat())).text();
    await over();
    moves = [];
    let unlock = async (): Promise<void> => undefined;
    const script = async (exchange: FakeExchange): Promise<void> => {
      await someWords(exchange);
      await cut(exchange);
    };
    const { text } = await ask(script, {
      async before() {
        unlock = await lockSqlite(gate.file);
      },
    });
    try {
      await moved('fail');
    } finally {
      await unlock();
    }
    await text();
    expect(moves).toEqual(['asked head opening', 'opening begin streaming', 'streaming fail failed']);
  });
});

describe('a caller who leaves', () => {
  const stages = {
    asked: [nothing, 'asked stop stopped'],
    refused: [badHead, 'refused stop stopped'],
    opening: [goodHead, 'opening stop stopped'],
    streaming: [someWords, 'streaming stop stopped'],
  } as const;
  it.each(Object.entries(stages))('an answer that is %s ends it', async (stage, [begin, last]) => {
    const { script } = held(begin, nothing);
    const before = gate.upstream.requests.length;
    const { leave } = await ask(script);
    await gate.upstream.arrived(before);
    if (stage !== 'asked')
      await moved(stage === 'streaming' ? 'begin' : stage === 'refused' ? 'refusal' : 'head');
    leave();
    await over();
    expect(moves.at(-1)).toBe(last);
  });

  it('before the head, on a channel that drains: no other channel is tried', async () => {
    const { script, goOn } = held(nothing, chat());
    const before = gate.upstream.requests.length;
    const { leave } = await ask(script, { drain: true });
    await gate.upstream.arrived(before);
    leave();
    await moved('leave');
    goOn();
    await over();
    expect(moves).toEqual(['asked leave draining', 'draining head draining', 'draining complete whole']);
  });

  it('before the refusal, on a channel that drains', async () => {
    const { script, goOn } = held(nothing, json(errorBody('no', 'server_error', null), 500));
    const before = gate.upstream.requests.length;
    const { leave } = await ask(script, { drain: true });
    await gate.upstream.arrived(before);
    leave();
    await moved('leave');
    goOn();
    await over();
    expect(moves).toEqual(['asked leave draining', 'draining refusal refused', 'refused fail failed']);
  });

  it('within the refusal, on a channel that drains', async () => {
    const { script, goOn } = held(badHead, restOfError);
    const { leave } = await ask(script, { drain: true });
    await moved('refusal');
    leave();
    await moved('leave');
    goOn();
    await over();
    expect(moves.slice(1)).toEqual(['refused leave refused', 'refused fail failed']);
  });

  it('before the first content, on a channel that drains and breaks off', async () => {
    const { script, goOn } = held(goodHead, cut);
    const { leave } = await ask(script, { drain: true });
    await moved('head');
    leave();
    await moved('leave');
    goOn();
    await over();
    expect(moves.slice(1)).toEqual(['opening leave draining', 'draining fail failed']);
  });

  it('within the content, on a channel that drains and breaks off', async () => {
    const { script, goOn } = held(someWords, cut);
    const { firstBytes, leave } = await ask(script, { drain: true });
    await firstBytes();
    leave();
    await moved('leave');
    goOn();
    await over();
    expect(moves.slice(2)).toEqual(['streaming leave draining', 'draining break broken']);
  });
});

describe('a balance that is nearly used up', () => {
  it('has a stream counted, then cut behind what it pays for', async () => {
    const by = await gate.addCaller({ balance: 400 });
    const { text } = await ask(chat({ chunks: 400 }), { by });
    expect(await text()).toContain('insufficient_user_quota');
    await over();
    expect(moves).toContain('streaming piece-unpaid waiting');
    expect(moves).toContain('waiting paid streaming');
    expect(moves.slice(-2)).toEqual(['streaming cut cutting', 'cutting stop stopped']);
  });

  it('has an answer in one piece counted, and delivered where it is paid for', async () => {
    const by = await gate.addCaller({ balance: 3_000 });
    const { text } = await ask(chat({ chunks: 1_000, usage: null }), { by, stream: false });
    expect(await text()).toContain('word999');
    await over();
    expect(moves.slice(2)).toEqual([
      'streaming end-unpaid closing',
      'closing paid closing',
      'closing complete whole',
    ]);
  });

  it('has an answer in one piece refused where it is not paid for', async () => {
    const by = await gate.addCaller({ balance: 400 });
    const { text } = await ask(chat({ chunks: 1_000, usage: null }), { by, stream: false });
    expect(await text()).toContain('insufficient_user_quota');
    await over();
    expect(moves).toContain('closing end-unpaid closing');
    expect(moves.at(-1)).toBe('closing stop stopped');
  });
});

describe('a caller who leaves while its hold is extended', () => {
  let unlock: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await unlock?.();
    unlock = undefined;
  });
  const lock = async (): Promise<void> => {
    unlock = await lockSqlite(gate.file);
  };
  const muchMore = async (exchange: FakeExchange): Promise<void> => {
    await exchange.write(chatEvents(exchange, { chunks: 1, text: () => longText })[1]!);
    await exchange.end(chatEvents(exchange, { chunks: 0 }).slice(1).join(''));
  };

  it.each([true, false])('within a stream (the channel drains: %s)', async (drain) => {
    const { script, goOn } = held(someWords, muchMore);
    const { firstBytes, leave } = await ask(script, { drain });
    await firstBytes();
    await lock();
    goOn();
    await moved('piece-unpaid');
    leave();
    await moved(drain ? 'leave' : 'stop');
    await unlock!();
    unlock = undefined;
    await over();
    const ends = drain ? ['waiting leave draining', 'draining complete whole'] : ['waiting stop stopped'];
    expect(moves.slice(3)).toEqual(ends);
  });

  it('at the end of an answer in one piece, which is settled as it came', async () => {
    const answer = (exchange: FakeExchange) =>
      json(chatBody('model', longText, usageBody(10, 200_000)))(exchange);
    const { script, goOn } = held(nothing, answer);
    const before = gate.upstream.requests.length;
    const { leave } = await ask(script, { stream: false, drain: true });
    await gate.upstream.arrived(before);
    await expect.poll(() => gate.openHolds()).toBe(1);
    await lock();
    goOn();
    await moved('end-unpaid');
    leave();
    await moved('complete');
    expect(moves.slice(3)).toEqual(['closing leave draining', 'draining complete whole']);
  });
});

describe('a process that stops', () => {
  it('also ends answers that are drained without a caller', async () => {
    const { script } = held(someWords, restOfWords);
    const { firstBytes, leave } = await ask(script, { drain: true });
    await firstBytes();
    leave();
    await moved('leave');
    gate.relay.gateway.running.endAll();
    await over();
    expect(moves.at(-1)).toBe('draining stop stopped');
  });
});

it('the tests above cover every transition of the table', () => {
  const all = Object.entries(answerMoves).flatMap(([from, row]) =>
    Object.entries(row).flatMap(([event, to]) => (to === 'ignored' ? [] : [`${from} ${event} ${to}`])),
  );
  expect([...made].sort()).toEqual(all.sort());
});

import { beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { createTokenCounter } from '../lib/token-count/token-counter.ts';
import { countRequest, countText } from '../relay/token-count.ts';
import { eachDialect, repeatedOn } from '../store/each-dialect.ts';
import { answerEvents } from '../testing/upstream/answer-events.ts';
import { textOfEvents } from '../testing/upstream/content-of-events.ts';
import { type Behaviour, sseHeaders } from '../testing/upstream/fake-upstream-scripts.ts';
import { openGatesBeforeEach } from '../testing/gateway-fleet.ts';
import { postUntilServed } from '../testing/upstream/post-until-served.ts';

// Text that costs more than its length suggests, and answers faster than the tokenizer can count. The upstream reports
// honestly its input and output; a token of either kind costs one unit.

const model = 'gpt-4o';
const counter = createTokenCounter();

/** A prompt, and the pieces of its answer. */
interface Talk {
  prompt: string;
  pieces: readonly string[];
  /** True if the whole answer is in one read: text, usage and end. */
  atOnce: boolean;
}

const digits = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index % 10},`).join('');
const talks = {
  plain: { prompt: 'Say it.', pieces: Array.from({ length: 400 }, () => ' hello'.repeat(50)), atOnce: true },
  denseAnswer: { prompt: 'Count.', pieces: Array.from({ length: 60 }, () => digits(50)), atOnce: false },
  densePrompt: { prompt: digits(3_000), pieces: ['Well, ', 'that was long.'], atOnce: false },
} satisfies Record<string, Talk>;
type TalkName = keyof typeof talks;

/** Every received token was paid from the balance. */
const exactly = { isServed: true, otherAnswers: [], unpaid: 0, held: 0, writtenOff: [], findings: [] };

const cost = {} as Record<TalkName, { input: number; output: number }>;
const bodyOf = (name: TalkName): JsonObject => ({
  model,
  stream: true,
  messages: [{ role: 'user', content: talks[name].prompt }],
});

beforeAll(async () => {
  for (const name of Object.keys(talks) as TalkName[]) {
    cost[name] = {
      input: await countRequest(counter, 'openai-chat', bodyOf(name), model),
      output: await countText(counter, talks[name].pieces.join(''), model),
    };
  }
});

const saying =
  (name: TalkName): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    const events = answerEvents['openai-chat']({ pieces: talks[name].pieces, ...cost[name] });
    for (const part of talks[name].atOnce ? [events.join('')] : events) {
      if (exchange.isGone) return;
      await exchange.write(part);
      await exchange.turn();
    }
    await exchange.end();
  };

eachDialect('Q1 overspend by text', (database) => {
  const one = JSON.stringify({ [model]: 1 });
  const settings = { ModelRatio: one, CompletionRatio: one };
  const { gates, open } = openGatesBeforeEach(database, { models: model, settings });

  /** Sends `calls` calls at once, to all processes in turn, and returns the faults of their charges. */
  async function charged(name: TalkName, calls: number, balance: number) {
    for (const gate of gates) gate.upstream.script(saying(name));
    const gate = gates[0]!;
    const caller = await gate.addCaller({ balance });
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, index) =>
        postUntilServed(`${gates[index % gates.length]!.url}/v1/chat/completions`, caller.key, bodyOf(name)),
      ),
    );
    for (const each of gates) {
      await expect.poll(() => each.relay.gateway.running.size).toBe(0);
      await each.core.ledger.flush();
    }
    let worth = 0;
    for (const { status, text } of answers) {
      if (status !== 200) continue;
      worth += cost[name].input + (await countText(counter, textOfEvents('openai-chat', text), model));
    }
    const after = await gate.readBalance(caller);
    const rows = await gate.core.store.db.selectFrom('ledger').select('writeoff_delta').execute();
    return {
      isServed: worth > 0,
      otherAnswers: answers.filter(({ status }) => status !== 200 && status !== 403),
      unpaid: worth - (balance - after.balance),
      held: after.held,
      writtenOff: rows.filter(({ writeoff_delta: delta }) => delta !== 0),
      findings: await gate.findings(),
    };
  }

  it(
    '(d) is 0 % where an answer of 20,000 tokens comes in one read on a balance of 161',
    repeatedOn(database.kind),
    () => expect(charged('plain', 1, 161)).resolves.toEqual(exactly),
  );

  it('(e) is 0 % where ten such answers come at once on a balance for one', () =>
    expect(charged('plain', 10, 23_000)).resolves.toEqual(exactly));

  it.each([
    ['(f) is 0 % where the text of an answer has a token for each character', 'denseAnswer', 40],
    ['(g) is 0 % where the text of a prompt has a token for each character', 'densePrompt', 100],
  ] as const)('%s', repeatedOn(database.kind), async (_name, talk, calls) => {
    const { input, output } = cost[talk];
    expect(await charged(talk, calls, Math.floor(3.4 * (input + output)))).toEqual(exactly);
  });

  it('is 0 % in all of these over two processes', { tags: ['deep'] }, async () => {
    await open();
    expect(await charged('plain', 10, 23_000)).toEqual(exactly);
    for (const talk of ['denseAnswer', 'densePrompt'] as const) {
      expect(await charged(talk, 40, Math.floor(3.4 * (cost[talk].input + cost[talk].output)))).toEqual(
        exactly,
      );
    }
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eachDialect, repeatedOn } from '../store/each-dialect.ts';
import { createTokenCounter } from '../lib/token-count/token-counter.ts';
import type { JsonObject } from '../lib/json.ts';
import { countRequest } from '../relay/token-count.ts';
import { type Behaviour, chat } from '../testing/upstream/fake-upstream-scripts.ts';
import type { GatewayHarness, TestCaller } from '../testing/gateway-harness.ts';
import { eachGatewayFleet, type GatewayFleet, openGatesBeforeEach } from '../testing/gateway-fleet.ts';
import { addTeam, addTeamCaller } from '../testing/teams/team-world.ts';
import { postUntilServed } from '../testing/upstream/post-until-served.ts';

const model = 'gpt-4o';
/** 1,000 output tokens at 1.25 × 4, and the prompt. */
const outputTokens = 1_000;
const body: JsonObject = {
  model,
  max_tokens: outputTokens,
  messages: [{ role: 'user', content: 'word '.repeat(990) }],
};
const ratio = 1.25;
const completion = 4;
const offered = { models: model, settings: { ModelRatio: JSON.stringify({ [model]: ratio }) } };

const costOf = (prompt: number, output: number): number => Math.round((prompt + output * completion) * ratio);

/** Answers up to the output limit of the request, as every vendor does. Usage is the upstream's own count. */
const talkative =
  (promptTokens: number): Behaviour =>
  (exchange) => {
    const output = Math.min(outputTokens, Number(exchange.json()['max_tokens']));
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: output,
      total_tokens: promptTokens + output,
    };
    return chat({ chunks: 3, usage })(exchange);
  };

interface Served {
  calls: number;
  /** Usage that the upstream reports, at its price, paid or not. */
  worth: number;
}

/** The kinds of output limit, and the number of tokens of the upstream without a limit. */
const bounds: [name: string, extra: object, speaks: number][] = [
  ['a small max_tokens', { max_tokens: 50 }, 50],
  ['a large max_tokens', { max_tokens: 1_000_000_000 }, 20_000],
  ['no max_tokens', {}, 3_000],
];

/** Sends `speaks` tokens, or as many as the request allows. In a stream the text has the same length. */
const speaking =
  (promptTokens: number, speaks: number): Behaviour =>
  (exchange) => {
    const bound = exchange.json()['max_tokens'];
    const output = typeof bound === 'number' ? Math.min(speaks, bound) : speaks;
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: output,
      total_tokens: promptTokens + output,
    };
    const each = 50;
    return chat({ chunks: Math.ceil(output / each), text: () => ' hello'.repeat(each), paceMs: 1, usage })(
      exchange,
    );
  };

/** Sends `count` calls, `parallel` at a time, to the gateways in turn. */
async function send(
  gates: readonly GatewayHarness[],
  caller: TestCaller,
  count: number,
  parallel: number,
): Promise<Served> {
  const served: Served = { calls: 0, worth: 0 };
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < count) {
      const { url } = gates[(begun += 1) % gates.length]!;
      const answer = await postUntilServed(`${url}/v1/chat/completions`, caller.key, body);
      const parsed = JSON.parse(answer.text) as {
        usage: { prompt_tokens: number; completion_tokens: number };
      };
      if (answer.status === 200) {
        served.calls += 1;
        served.worth += costOf(parsed.usage.prompt_tokens, parsed.usage.completion_tokens);
      } else if (answer.status !== 403 && !answer.text.includes('token_exhausted'))
        throw new Error(`answered ${answer.status}: ${JSON.stringify(parsed)}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  return served;
}

/** Quota units that were used and could not be charged. */
async function writtenOff({ core }: GatewayHarness): Promise<number> {
  const rows = await core.store.db.selectFrom('ledger').select('writeoff_delta').execute();
  return rows.reduce((sum, { writeoff_delta: delta }) => sum - delta, 0);
}

/** The prompt tokens by our tokenizer, which is the same as the vendor's. */
let promptTokens = 0;
let cost = 0;
beforeAll(async () => {
  promptTokens = await countRequest(createTokenCounter(), 'openai-chat', body, model);
  cost = costOf(promptTokens, outputTokens);
});

eachDialect('Q1 overspend', (database) => {
  const { gates, open } = openGatesBeforeEach(database, offered);
  beforeEach(() => gates[0]!.upstream.script(talkative(promptTokens)));

  /** The served calls cost no more than the balance and were paid exactly. */
  async function expectNoOverspend(caller: TestCaller, start: number, served: Served): Promise<void> {
    const gate = gates[0]!;
    for (const each of gates) await each.core.ledger.flush();
    expect(await gate.readBalance(caller)).toEqual({ balance: start - served.worth, held: 0 });
    expect(await gate.findings()).toEqual([]);
    expect(await gate.openHolds()).toBe(0);
  }

  it('(a) is 0 % with a balance for 10 and 200 parallel calls, and ten are served', async () => {
    const caller = await gates[0]!.addCaller({ balance: 10 * cost });
    const served = await send(gates, caller, 200, 200);
    expect(served).toEqual({ calls: 10, worth: 10 * cost });
    await expectNoOverspend(caller, 10 * cost, served);
  });

  it('(b) is 0 % with a balance for 10 and 200 parallel calls over two processes', async () => {
    const second = await open();
    second.upstream.script(talkative(promptTokens));
    const caller = await gates[0]!.addCaller({ balance: 10 * cost });
    const served = await send(gates, caller, 200, 200);
    expect(served).toEqual({ calls: 10, worth: 10 * cost });
    await expectNoOverspend(caller, 10 * cost, served);
  });

  it(
    '(c) is 0 % with a balance for 1,000, 2,000 calls, 200 parallel, and the balance is used up',
    { ...repeatedOn(database.kind), timeout: 120_000 },
    async () => {
      const caller = await gates[0]!.addCaller({ balance: 1_000 * cost });
      const served = await send(gates, caller, 2_000, 200);
      expect(served.worth).toBeGreaterThan(995 * cost);
      await expectNoOverspend(caller, 1_000 * cost, served);
    },
  );

  describe.each(bounds)('with %s', repeatedOn(database.kind), (_name, extra, speaks) => {
    const kinds = [
      ['in one piece', false],
      ['in streams', true],
    ] as const;

    it.each(kinds)(
      'lets 60 parallel calls %s take no more than there is, and nothing is written off',
      async (_kind, stream) => {
        const gate = gates[0]!;
        gate.upstream.script(speaking(promptTokens, speaks));
        const start = Math.floor(3.3 * costOf(promptTokens, speaks));
        const caller = await gate.addCaller({ balance: start });
        const asked = { ...body, max_tokens: undefined, ...extra, stream };
        const statuses = await Promise.all(
          Array.from({ length: 60 }, async () => {
            const headers = { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' };
            const sent = { method: 'POST', headers, body: JSON.stringify(asked) };
            const answer = await fetch(`${gate.url}/v1/chat/completions`, sent);
            await answer.text();
            return answer.status;
          }),
        );
        expect(statuses.filter((status) => ![200, 403, 429].includes(status))).toEqual([]);
        expect(statuses).toContain(200);
        await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
        await gate.core.ledger.flush();
        const { balance, held } = await gate.readBalance(caller);
        expect(balance).toBeGreaterThanOrEqual(0);
        expect(balance).toBeLessThan(start);
        expect(held).toBe(0);
        expect(await writtenOff(gate)).toBe(0);
        expect(await gate.findings()).toEqual([]);
      },
    );

    it('refuses nobody who can pay for the prompt and a few words, and takes no more than they have', async () => {
      const gate = gates[0]!;
      gate.upstream.script(speaking(promptTokens, speaks));
      const start = costOf(promptTokens, 40);
      const caller = await gate.addCaller({ balance: start });
      const asked = { ...body, max_tokens: undefined, ...extra };
      const headers = { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(asked) };
      const answer = await fetch(`${gate.url}/v1/chat/completions`, sent);
      const { usage } = (await answer.json()) as { usage: { completion_tokens: number } };
      expect([answer.status, usage.completion_tokens]).toEqual([200, 40]);
      await gate.core.ledger.flush();
      expect(await gate.readBalance(caller)).toEqual({ balance: 0, held: 0 });
      expect(await writtenOff(gate)).toBe(0);
    });
  });

  it('of a key with an allowance for 10 is 0 % too, whatever its owner has', async () => {
    const caller = await gates[0]!.addCaller({ balance: 1_000 * cost, allowance: 10 * cost });
    const served = await send(gates, caller, 200, 200);
    expect(served).toEqual({ calls: 10, worth: 10 * cost });
    await expectNoOverspend(caller, 1_000 * cost, served);
  });
});

/** Callers with a sufficient amount for `calls` in one place, and plenty in all others. */
const payers = {
  'a balance': (fleet, calls) => fleet.addCaller({ balance: calls * cost }),
  'the allowance of a key': (fleet, calls) =>
    fleet.addCaller({ balance: 10_000 * cost, allowance: calls * cost }),
  'the limit of a member': async ({ core }, calls) =>
    addTeamCaller({ core }, await addTeam(core, 10_000 * cost), calls * cost),
} satisfies Record<string, (fleet: GatewayFleet, calls: number) => Promise<TestCaller>>;

eachGatewayFleet('Q1 overspend of all processes together', 2, (open) => {
  it.each(Object.entries(payers))(
    'is none of %s for 100 of 200 calls',
    async (_name, add) => {
      const fleet = await open(offered);
      fleet.upstream.script(talkative(promptTokens));
      const caller = await add(fleet, 100);
      const start = (await fleet.readBalance(caller)).balance;
      const served = await send(fleet.gates, caller, 200, 40);
      await fleet.quiet();
      expect(served).toEqual({ calls: 100, worth: 100 * cost });
      expect(await fleet.readBalance(caller)).toEqual({ balance: start - served.worth, held: 0 });
      expect(await fleet.openHolds()).toBe(0);
      expect(await fleet.findings()).toEqual([]);
    },
    120_000,
  );
});

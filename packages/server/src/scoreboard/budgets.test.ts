import { product } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { addBudget } from '../services/money/ledger/testing/test-bed.ts';
import { linesOf, runs } from '../store/index.ts';
import { eachGatewayFleet, type GatewayFleet } from '../testing/gateway-fleet.ts';
import type { TestCaller } from '../testing/gateway-harness.ts';
import { sized } from '../testing/scoreboard-size.ts';
import { type Behaviour, chat } from '../testing/upstream/fake-upstream-scripts.ts';
import { postUntilServed } from '../testing/upstream/post-until-served.ts';

/** 100 tokens in and 100 out at ratio 1 and completion ratio 1. */
const model = 'gpt-4o';
const cost = 200;
const one = JSON.stringify({ [model]: 1 });
const settings = { ModelRatio: one, CompletionRatio: one };
const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'word '.repeat(92) }] };

/** Answers up to the output limit of the request, as every vendor does. */
const talkative: Behaviour = (exchange) => {
  const output = Math.min(100, Number(exchange.json()['max_tokens']));
  const usage = { prompt_tokens: 100, completion_tokens: output, total_tokens: 100 + output };
  return chat({ chunks: 3, usage })(exchange);
};

interface Call {
  caller: TestCaller;
  headers?: Record<string, string>;
}

/** Sends calls from this many clients, to the processes in turn, until there is no next. Returns the tokens of the served ones. */
async function storm(
  { gates }: GatewayFleet,
  clients: number,
  next: (n: number) => Call | undefined,
  { refusal, status: refused = 403, onServed }: { refusal: RegExp; status?: number; onServed?: () => void },
): Promise<number> {
  let begun = 0;
  let cost = 0;
  /** Answers that are neither served nor refused as they should be. */
  const others: { status: number; text: string }[] = [];
  const client = async (): Promise<void> => {
    for (let call = next(begun); call; call = next(begun)) {
      const { url } = gates[(begun += 1) % gates.length]!;
      const path = `${url}/v1/chat/completions`;
      const { status, text } = await postUntilServed(path, call.caller.key, body, call.headers);
      if (status === 200) {
        onServed?.();
        cost += (JSON.parse(text) as { usage: { total_tokens: number } }).usage.total_tokens;
      } else if (status !== refused || !refusal.test(text)) others.push({ status, text });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  expect(others).toEqual([]);
  return cost;
}

const addCallers = (fleet: GatewayFleet, count: number): Promise<TestCaller[]> =>
  Promise.all(Array.from({ length: count }, () => fleet.addCaller({ balance: 1_000 * cost })));

async function expectTrueBooks(fleet: GatewayFleet, callers: readonly TestCaller[], used: number) {
  await fleet.quiet();
  const wallets = await Promise.all(callers.map((caller) => fleet.readBalance(caller)));
  expect(wallets.reduce((sum, { balance }) => sum + balance, 0)).toBe(callers.length * 1_000 * cost - used);
  expect(await fleet.openHolds()).toBe(0);
  expect(await fleet.findings()).toEqual([]);
}

const hour = 3_600_000;
const firstHour = Date.UTC(2026, 10, 30, 8);

for (const workers of sized([1, 2, 4], [2]))
  eachGatewayFleet('Q1 overspend of budgets', workers, (open, count) => {
    // SQLite has one process, whatever is asked.
    describe.skipIf(count === 0 && workers !== sized(1, 2))('shared by eight payers', () => {
      it('is none in any hour, and each hour begins once, with calls that run at its start', async () => {
        let now = firstHour;
        const fleet = await open({ models: model, settings, clock: () => now });
        fleet.upstream.script(talkative);
        const callers = await addCallers(fleet, 8);
        const perHour = 10 * cost;
        const id = await addBudget(fleet.core.store, perHour, { name: 'shared', period: 'hour' });
        for (const { core } of fleet.gates) await core.budgetRules.reload();
        // The hour ends while the last of its ten calls run.
        let answers = 0;
        const moveOn = (): void => {
          answers += 1;
          if (answers % 7 === 0) now += hour;
        };
        const next = (n: number) => (now < firstHour + 4 * hour ? { caller: callers[n % 8]! } : undefined);
        const served = await storm(fleet, 60, next, { refusal: /budget shared/, onServed: moveOn });
        await expectTrueBooks(fleet, callers, served);
        const rows = await fleet.core.store.db
          .selectFrom('ledger')
          .select(['account_delta', 'budgets'])
          .execute();
        const hours = new Map<number, number>();
        for (const { budgets, account_delta: delta } of rows)
          for (const line of linesOf(budgets))
            if (line.id === id) hours.set(line.start, (hours.get(line.start) ?? 0) - delta);
        const used = [...hours.values()];
        expect(used.filter((each) => each > perHour)).toEqual([]);
        expect(used.reduce((sum, each) => sum + each, 0)).toBe(served);
        expect([...hours.keys()].every((start) => start % 3_600 === 0)).toBe(true);
        expect(used.length).toBeGreaterThan(3);
        // An hour that began twice shows only where it was full before.
        expect(used).toContain(perHour);
      }, 120_000);

      it('is none by a token in any hour, though the model costs nothing', async () => {
        let now = firstHour;
        const free = { ...settings, ModelRatio: JSON.stringify({ [model]: 0 }) };
        const fleet = await open({ models: model, settings: free, clock: () => now });
        fleet.upstream.script(talkative);
        const callers = await addCallers(fleet, 8);
        const perHour = 10 * cost;
        const parts = { name: 'tokens', period: 'hour', unit: 'tokens' };
        const id = await addBudget(fleet.core.store, perHour, parts);
        for (const { core } of fleet.gates) await core.budgetRules.reload();
        let answers = 0;
        const moveOn = (): void => {
          answers += 1;
          if (answers % 7 === 0) now += hour;
        };
        const next = (n: number) => (now < firstHour + 4 * hour ? { caller: callers[n % 8]! } : undefined);
        const expected = { refusal: /budget tokens/, status: 429, onServed: moveOn };
        const served = await storm(fleet, 60, next, expected);
        await expectTrueBooks(fleet, callers, 0);
        const rows = await fleet.core.store.db.selectFrom('ledger').select('budgets').execute();
        const hours = new Map<number, number>();
        for (const { budgets } of rows)
          for (const line of linesOf(budgets))
            if (line.id === id) hours.set(line.start, (hours.get(line.start) ?? 0) + (line.tokens ?? NaN));
        const used = [...hours.values()];
        expect(used.filter((each) => !(each <= perHour))).toEqual([]);
        expect(used.reduce((sum, each) => sum + each, 0)).toBe(served);
        expect(used).toContain(perHour);
      }, 120_000);

      it('is none of a run, through whichever of its parts and processes', async () => {
        const fleet = await open({ models: model, settings });
        fleet.upstream.script(talkative);
        const [caller] = (await addCallers(fleet, 1)) as [TestCaller];
        const dollars = (20.5 * cost) / 500_000;
        const inRun = (run: string) => ({ caller, headers: { [product.headers.run]: run } });
        const first = (n: number) => (n === 0 ? inRun(`agent; max=${dollars}`) : undefined);
        const further = (n: number) => (n < 200 ? inRun(`agent/part-${n % 5}; max=1`) : undefined);
        const refusal = /run agent/;
        const served =
          (await storm(fleet, 1, first, { refusal })) + (await storm(fleet, 200, further, { refusal }));
        await expectTrueBooks(fleet, [caller], served);
        const paths = ['agent', ...[0, 1, 2, 3, 4].map((n) => `agent/part-${n}`)];
        const rows = await runs.find(fleet.core.store.db, caller.userId, paths);
        const [whole, ...parts] = rows.map(({ used }) => used) as [number, ...number[]];
        expect(whole).toBe(served);
        expect(whole).toBeLessThanOrEqual(20.5 * cost);
        expect(whole).toBeGreaterThanOrEqual(20 * cost);
        expect(cost + parts.reduce((sum, used) => sum + used, 0)).toBe(whole);
      }, 120_000);
    });
  });

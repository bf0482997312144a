import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { playModel } from '../../testing/model/fake-model.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import type { Behaviour } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { type TaskDeps, TaskPoller } from './index.ts';

// Random histories of batches that the gateway works through: failing vendors, lost commits, two runners that claim the same
// batch, cancellation, expiry. Each call is charged once, exactly if its answer is delivered.

let gate: GatewayHarness;
let now = 1_800_000_000_000;
/** The vendor's answers to an item, one for each attempt; the last one repeats. */
let answers: Map<string, readonly number[]>;
let asked: Map<string, number>;
/** Commits of charges that are lost, before or after them, in this order; then none. */
let lost: ('before' | 'after' | 'none')[];

const minute = 60_000;
const model = 'deep';

beforeAll(async () => {
  gate = await openGateway({}, {}, () => now);
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
  await gate.core.settings.set('OwnBatchCalls', '3');
  const play = playModel(() => ({ say: 'Hello!' }));
  const behaviour: Behaviour = (exchange) => {
    const name = /item \d+/.exec(exchange.body.toString())?.[0] ?? '';
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    const planned = answers.get(name) ?? [];
    const status = planned[Math.min(count, planned.length - 1)] ?? 200;
    return status === 200 ? play(exchange) : refuse(status)(exchange);
  };
  gate.upstream.script(behaviour);
  await gate.addChannel({ type: 43, models: model, auto_ban: 0 });
});
afterAll(() => gate.close());

/** Runners over the same rows, of which some commits are lost. */
function twoRunners(): TaskPoller[] {
  const { tasks } = gate.relay.house.routes;
  const { batches } = tasks;
  const deps: TaskDeps = {
    ...tasks,
    batches: {
      ...batches,
      async charge(batch, parts) {
        const fate = lost.shift() ?? 'none';
        if (fate === 'before') throw new Error('the connection broke before the commit');
        const charged = await batches.charge(batch, parts);
        if (fate === 'after') throw new Error('the connection broke after the commit');
        return charged;
      },
    },
  };
  return [new TaskPoller(deps), new TaskPoller(deps)];
}

const statuses = fc.array(fc.constantFrom(200, 200, 200, 429, 500, 400), { minLength: 1, maxLength: 3 });
const history = fc.record({
  plans: fc.array(statuses, { minLength: 1, maxLength: 6 }),
  lost: fc.array(fc.constantFrom('before' as const, 'after' as const, 'none' as const), { maxLength: 4 }),
  /** Rounds after which it is cancelled; a large number for never. */
  cancelAfter: fc.constantFrom(0, 1, 2, 99, 99, 99),
  stepMs: fc.constantFrom(minute, 10 * minute, 9 * 60 * minute),
});

it(
  'charge each call once, exactly if its answer is delivered, whatever happens',
  { timeout: 3_600_000 },
  async () => {
    const { db } = gate.core.store;
    await fc.assert(
      fc.asyncProperty(history, async ({ plans, lost: fates, cancelAfter, stepMs }) => {
        const caller = await gate.addCaller();
        const client = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
        const names = plans.map((_, index) => `item ${index + 1}`);
        answers = new Map(plans.map((plan, index) => [names[index]!, plan]));
        asked = new Map();
        lost = [...fates];
        const before = await gate.readBalance(caller);
        // The site's own runner would not lose its commits.
        await gate.core.settings.set('OwnBatchCalls', '3');
        const made = await client.messages.batches.create({
          requests: names.map((name) => ({
            custom_id: name,
            params: { model, max_tokens: 50, messages: [{ role: 'user' as const, content: name }] },
          })),
        });
        const row = () =>
          db.selectFrom('tasks').selectAll().where('task_id', '=', made.id).executeTakeFirstOrThrow();
        const runners = twoRunners();
        for (let round = 0; (await row()).finish_time === 0; round += 1) {
          if (round > 300) throw new Error('the batch does not end');
          if (round === cancelAfter) await client.messages.batches.cancel(made.id);
          await db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();
          await Promise.all(runners.map((runner) => runner.run()));
          await new Promise((resolve) => setTimeout(resolve, 5));
          now += stepMs;
        }
        await Promise.all(runners.map((runner) => runner.close()));
        const batch = await client.messages.batches.retrieve(made.id);
        const results = new Map<string, string>();
        let lines = 0;
        for await (const { custom_id: name, result } of await client.messages.batches.results(made.id)) {
          results.set(name, result.type);
          lines += 1;
        }
        expect([lines, [...results.keys()].toSorted()]).toEqual([names.length, names]);
        const delivered = names.filter((name) => results.get(name) === 'succeeded');
        const { request_id: id, quota } = await row();
        const rows = await db
          .selectFrom('logs')
          .select(['quota', 'other'])
          .where('request_id', 'like', `${id}-%`)
          .execute();
        const charged = rows.map(({ other }) => (JSON.parse(other) as { batch_item: string }).batch_item);
        expect(charged.toSorted()).toEqual(delivered);
        const sum = rows.reduce((total, each) => total + each.quota, 0);
        expect([quota, batch.request_counts.succeeded]).toEqual([sum, delivered.length]);
        expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - sum, held: 0 });
        const ended = batch.request_counts;
        expect(ended.succeeded + ended.errored + ended.canceled + ended.expired).toBe(names.length);
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 25) },
    );
    await gate.core.ledger.flush();
    expect(await gate.openHolds()).toBe(0);
    expect(await db.selectFrom('batch_items').selectAll().execute()).toEqual([]);
    expect(await gate.findings()).toEqual([]);
  },
);

import { noCostRule, type RehearsalSelection } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPriceChanges, type PriceChanges } from '../../../boot/money.ts';
import { marginSums, type Store } from '../../../store/index.ts';
import { chat, json } from '../../../testing/upstream/fake-upstream-scripts.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';

// Rows of calls to several kinds of vendors, with refunds before and between corrections.

const models = { openai: 'one', anthropic: 'two', gemini: 'three', reported: 'four', unknown: 'five' };
const everything: RehearsalSelection = {
  days: 7,
  start: 0,
  end: 0,
  models: [],
  groups: [],
  channel: 0,
  user: 0,
};

let world: TaskWorld;
let changes: PriceChanges;
let store: Store;

beforeAll(async () => {
  world = await openTaskWorld();
  const { gate, drawing } = world;
  ({ store } = gate.core);
  changes = openPriceChanges(gate.core);
  const ratios = Object.fromEntries(Object.values(models).map((model, index) => [model, index + 1.25]));
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  const cost = { ...noCostRule, factor: 0.7 };
  for (const [model, type, rule] of [
    [models.openai, 1, cost],
    [models.anthropic, 14, { ...cost, models: { two: { input: 3, output: 20 } } }],
    [models.gemini, 24, { ...cost, factor: 1.3 }],
    [models.reported, 20, { ...cost, reported: true }],
    [models.unknown, 1, noCostRule],
  ] as const)
    await gate.core.costs.save(await gate.addChannel({ models: model, type }), rule);
  await gate.core.costs.save(drawing, cost);
});
afterAll(async () => {
  changes.rehearsals.close();
  await world.close();
});

/** A call to each vendor, in that vendor's protocol. */
async function callAll(): Promise<void> {
  const { gate } = world;
  const messages = [{ role: 'user', content: 'hello' }];
  const usage = {
    prompt_tokens: 900,
    completion_tokens: 120,
    total_tokens: 1_020,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 40 },
  };
  gate.upstream.next(chat({ usage }));
  await world.call('/v1/chat/completions', { model: models.openai, messages });
  const claude = {
    input_tokens: 70,
    cache_read_input_tokens: 500,
    cache_creation_input_tokens: 300,
    output_tokens: 90,
  };
  const content = [{ type: 'text', text: 'Hello' }];
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'two',
    content,
    stop_reason: 'end_turn',
  };
  gate.upstream.next(json({ ...message, usage: claude }));
  await world.call('/v1/messages', { model: models.anthropic, max_tokens: 100, messages });
  gate.upstream.next(
    json({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 333,
        candidatesTokenCount: 44,
        thoughtsTokenCount: 55,
        totalTokenCount: 432,
      },
    }),
  );
  await world.call(`/v1beta/models/${models.gemini}:generateContent`, {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  });
  gate.upstream.next(chat({ usage: { ...usage, cost: 0.00321 }, usageWhen: 'always' }));
  await world.call('/v1/chat/completions', { model: models.reported, messages });
  gate.upstream.next(chat({ usage }));
  await world.call('/v1/chat/completions', { model: models.unknown, messages });
  await gate.core.ledger.flush();
}

/** An image task that succeeds, or fails and is refunded. */
async function draw(status: 'SUCCESS' | 'FAILURE'): Promise<void> {
  await world.call('/mj/submit/imagine', { prompt: 'a cat' });
  await world.report({ status, progress: '100%', imageUrl: 'https://example.com/a.png', failReason: 'no' });
  await world.gate.core.ledger.flush();
}

/** Sums by channel, which must match the ledger, and totals of charge and cost in quota units. */
async function margins() {
  const taken = await store.db
    .selectFrom('ledger')
    .select((eb) => ['channel_id', eb.fn.sum<number>('account_delta').as('delta')])
    .where('kind', 'in', ['usage', 'refund', 'rerate'])
    .groupBy('channel_id')
    .execute();
  const rows = await store.db.selectFrom('logs').selectAll().where('type', '=', 2).execute();
  const sums = await marginSums.marginSums(store.db, 'channel', { start: 0, end: 1e12 });
  expect(sums).toHaveLength(6);
  for (const { bucket, charge, cost, unknown_charge: unknown } of sums) {
    const own = rows.filter(({ channel_id: id }) => id === bucket);
    const known = own.filter((row) => row.cost !== null);
    const spent = (some: typeof own) => some.reduce((sum, { quota, refunded }) => sum + quota - refunded, 0);
    const margin = known.reduce((sum, row) => sum + row.quota - row.refunded - row.cost!, 0);
    expect([charge, unknown]).toEqual([spent(known), spent(own) - spent(known)]);
    expect(cost + margin).toBe(charge);
    expect(charge + unknown).toBe(0 - Number(taken.find(({ channel_id: id }) => id === bucket)?.delta));
  }
  expect(await world.gate.findings()).toEqual([]);
  return sums.map(({ bucket, charge, cost }) => ({ bucket, charge, cost }));
}

/** Corrects every charge to the current prices; returns the number of changed charges. */
async function correct(): Promise<{ id: number; rows: number }> {
  const { rehearsals, reratings } = changes;
  const rehearsal = rehearsals.start({}, everything);
  await expect.poll(() => rehearsals.state(rehearsal).state, { timeout: 20_000 }).toBe('done');
  const expected = rehearsals.state(rehearsal).outcome!.total;
  const { id } = await reratings.start(1, { rehearsal, reason: 'a wrong price', collect: true });
  await reratings.work();
  const { corrected_rows: rows, collected, given_back: returned } = await reratings.get(id);
  expect(collected - returned).toBe(expected.after - expected.before);
  return { id, rows };
}

it('of several vendors keep cost + margin = charge through refunds and corrections, and a second correction changes nothing', async () => {
  const { gate } = world;
  await callAll();
  await draw('SUCCESS');
  await draw('FAILURE');
  const before = await margins();

  await gate.core.settings.set('ModelRatio', '{"one":0.5,"two":9,"three":3.75,"four":4.25,"five":0.1}');
  const prices = gate.core.settings.get('ModelPrice');
  await gate.core.settings.set('ModelPrice', JSON.stringify({ ...prices, mj_imagine: 0.05 }));
  const { id, rows } = await correct();
  expect(rows).toBe(5);
  const after = await margins();
  expect(after).not.toEqual(before);

  // The cost of a failed task stays: only its charge is refunded.
  await draw('FAILURE');
  const refunded = await margins();
  expect(refunded.map(({ charge }) => charge)).toEqual(after.map(({ charge }) => charge));
  expect((await correct()).rows).toBe(0);
  expect(await margins()).toEqual(refunded);

  await changes.reratings.revert(1, id, 'it was right');
  await changes.reratings.work();
  expect((await margins()).map(({ charge }) => charge)).toEqual(before.map(({ charge }) => charge));
});

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { budgets, logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';

// Keys of the group auto with cross_group_retry: when the channels of a group have failed, the next group serves the
// call at its own price.

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 25);

let gate: GatewayHarness;
let added: number[] = [];
/** Quota units of a call at ratio 1. */
const price = 100;
const ratios = { cheap: 0.5, middle: 1, dear: 3 };
const priceSettings = {
  ModelPrice: JSON.stringify({ one: price / 500_000, other: price / 500_000 }),
  GroupRatio: JSON.stringify({ default: 1, ...ratios }),
};

beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.core.settings.setMany({
    ...priceSettings,
    UserUsableGroups: '{"cheap":"","middle":"","dear":""}',
    AutoGroups: '["cheap","middle","dear"]',
  });
});
afterEach(async () => {
  gate.upstream.script(healthy());
  await gate.checkAtRest();
  await gate.core.settings.setMany({ ...priceSettings, RetryTimes: '0', ModelFallbacks: '{}' });
  await gate.core.channels.remove(added);
  added = [];
});
afterAll(() => gate.close());

/** A channel whose upstream model is named after its group. */
async function offer(group: string, more: object = {}): Promise<number> {
  const mapping = JSON.stringify({ one: `in-${group}` });
  const id = await gate.addChannel({ models: 'one', group, model_mapping: mapping, ...more });
  added.push(id);
  return id;
}

/** The channels of these groups fail. */
const fail = (...groups: string[]): void =>
  gate.upstream.script((exchange) => {
    const isDown = groups.some((group) => exchange.json().model === `in-${group}`);
    return (isDown ? faults.refuse(500, { message: 'down' }) : healthy())(exchange);
  });

async function addAuto(balance = 5_000_000, crosses = 1): Promise<TestCaller> {
  const caller = await gate.addCaller({ balance });
  await gate.core.store.db
    .updateTable('tokens')
    .set({ group: 'auto', cross_group_retry: crosses })
    .where('id', '=', caller.tokenId)
    .execute();
  return caller;
}

const chat = { model: 'one', messages: [{ role: 'user', content: 'hi' }] };
const send = (caller: TestCaller, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function call(caller: TestCaller, body: object = chat, headers: Record<string, string> = {}) {
  const before = gate.upstream.requests.length;
  const answer = await send(caller, '/v1/chat/completions', body, headers);
  const text = await answer.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const sent = gate.upstream.requests.slice(before).map((request) => String(request.json().model));
  return { status: answer.status, text, sent, row: rows[0] };
}

describe('a key with cross-group retry', () => {
  it('goes on to the next group, and log, receipt and charge name that', async () => {
    await offer('cheap');
    await offer('middle');
    const dear = await offer('dear');
    fail('cheap', 'middle');
    const caller = await addAuto();
    const { status, sent, row } = await call(caller);
    expect([status, sent]).toEqual([200, ['in-cheap', 'in-middle', 'in-dear']]);
    expect(row).toMatchObject({ group: 'dear', channel_id: dear, quota: 3 * price });
    expect(JSON.parse(row!.other)).toMatchObject({ group_ratio: 3 });
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - 3 * price, held: 0 });
  });

  it('charges a cheaper group less than was held', async () => {
    await gate.core.settings.set('GroupRatio', '{"default":1,"cheap":4,"middle":1,"dear":3}');
    await offer('cheap');
    await offer('middle');
    fail('cheap');
    const caller = await addAuto(4 * price);
    expect((await call(caller)).row).toMatchObject({ group: 'middle', quota: price });
    expect(await gate.readBalance(caller)).toEqual({ balance: 3 * price, held: 0 });
  });

  it('has the same number of attempts in each group, and the models that stand in come last', async () => {
    await gate.core.settings.setMany({ RetryTimes: '1', ModelFallbacks: '{"one":["other"]}' });
    for (const group of ['cheap', 'middle', 'middle']) for (let n = 0; n < 2; n += 1) await offer(group);
    await offer('dear', { models: 'other', model_mapping: '{"other":"in-other"}' });
    fail('cheap', 'middle');
    const caller = await addAuto();
    const { sent, status } = await call(caller);
    expect(sent).toEqual(['in-cheap', 'in-cheap', 'in-middle', 'in-middle']);
    expect(status).toBe(500);
    await offer('middle', { models: 'other', model_mapping: '{"other":"in-other"}' });
    expect(await call(caller)).toMatchObject({
      status: 200,
      sent: ['in-cheap', 'in-cheap', 'in-middle', 'in-middle', 'in-other'],
      row: { group: 'middle', quota: price },
    });
  });

  it('stays in its group without the field, or where that group answers', async () => {
    await offer('cheap');
    await offer('dear');
    expect(await call(await addAuto())).toMatchObject({ sent: ['in-cheap'], row: { group: 'cheap' } });
    fail('cheap');
    const { status, sent } = await call(await addAuto(5_000_000, 0));
    expect([status, sent]).toEqual([500, ['in-cheap']]);
  });

  it('does not try a group that its caller cannot pay', async () => {
    await offer('cheap');
    await offer('dear');
    fail('cheap');
    const caller = await addAuto(3 * price - 1);
    const { status, sent } = await call(caller);
    expect([status, sent]).toEqual([403, ['in-cheap']]);
    expect(await gate.readBalance(caller)).toEqual({ balance: 3 * price - 1, held: 0 });
  });

  it('does not try a group that requires a tag which the call does not have', async () => {
    await offer('cheap');
    await offer('dear');
    await gate.core.settings.set('RequiredTags', '{"group:dear":["project"]}');
    fail('cheap');
    const caller = await addAuto();
    expect(await call(caller)).toMatchObject({ status: 500, sent: ['in-cheap'] });
    expect(await call(caller, chat, { 'x-tollgate-tags': 'project=a' })).toMatchObject({
      status: 200,
      row: { group: 'dear' },
    });
    await gate.core.settings.set('RequiredTags', '{}');
  });
});

describe('a budget', () => {
  const usedOf = async (id: number): Promise<number> => {
    const { used, held } = (await budgets.find(gate.core.store.db, id))!;
    expect(held).toBe(0);
    return used;
  };
  const add = async (amount: number, conditions: { user_id: number; group?: string }): Promise<number> => {
    const id = await addBudget(gate.core.store, amount, conditions);
    await gate.core.budgetRules.reload();
    return id;
  };

  it.each(['cheap', 'dear'])('of the group %s is never counted for the other one', async (group) => {
    await offer('cheap');
    await offer('middle');
    await offer('dear');
    const caller = await addAuto();
    const id = await add(1_000_000, { user_id: caller.userId, group });
    fail('cheap', 'middle');
    const { status, sent } = await call(caller);
    // The budgets that the hold counts against are not those of the further groups.
    expect([status, sent]).toEqual([500, group === 'cheap' ? ['in-cheap'] : ['in-cheap', 'in-middle']]);
    expect(await usedOf(id)).toBe(0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('is never passed by a unit, whichever groups fail, in one piece or streamed', async () => {
    await gate.core.settings.setMany({ ModelPrice: '{}', ModelRatio: JSON.stringify({ one: 5 }) });
    for (const group of Object.keys(ratios)) await offer(group);
    const calls = fc.record({
      amount: fc.integer({ min: 1, max: 3_000 }),
      down: fc.subarray(['cheap', 'middle', 'dear']),
      rounds: fc.integer({ min: 1, max: 4 }),
      stream: fc.boolean(),
      ofGroup: fc.constantFrom('', ...Object.keys(ratios)),
    });
    await fc.assert(
      fc.asyncProperty(calls, async ({ amount, down, rounds, stream, ofGroup }) => {
        const caller = await addAuto();
        const all = await add(amount, { user_id: caller.userId });
        const narrow = await add(amount, { user_id: caller.userId, group: ofGroup });
        fail(...down);
        for (let round = 0; round < rounds; round += 1)
          await call(caller, { ...chat, stream, max_tokens: 20 });
        await expect.poll(() => gate.openHolds()).toBe(0);
        const { rows } = await logs.list(
          gate.core.store.db,
          { userId: caller.userId, type: 2 },
          { offset: 0, limit: 10 },
        );
        const sum = (group: string) =>
          rows.reduce((total, row) => total + (group === '' || row.group === group ? row.quota : 0), 0);
        expect([await usedOf(all), await usedOf(narrow)]).toEqual([sum(''), sum(ofGroup)]);
        expect(sum('')).toBeLessThanOrEqual(amount);
        const { balance } = await gate.readBalance(caller);
        expect(5_000_000 - balance).toBe(sum(''));
      }),
      { numRuns },
    );
  });
});

it('the quote has the bill between least and most, whichever groups fail', async () => {
  await gate.core.settings.setMany({ ModelPrice: '{}', ModelRatio: JSON.stringify({ one: 5 }) });
  for (const group of Object.keys(ratios)) await offer(group);
  const ratio = fc.constantFrom(0.1, 0.5, 1, 7);
  const calls = fc.record({
    cheap: ratio,
    middle: ratio,
    dear: ratio,
    down: fc.subarray(['cheap', 'middle']),
    content: fc.string({ minLength: 1, maxLength: 200 }),
    limit: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    stream: fc.boolean(),
  });
  const caller = await addAuto(2_000_000_000);
  await fc.assert(
    fc.asyncProperty(calls, async ({ cheap, middle, dear, down, content, limit, stream }) => {
      await gate.core.settings.set('GroupRatio', JSON.stringify({ default: 1, cheap, middle, dear }));
      fail(...down);
      const body = { ...chat, stream, messages: [{ role: 'user', content }], max_tokens: limit };
      const answer = await send(caller, '/v1/quote', body);
      const { least, most } = (await answer.json()) as Record<'least' | 'most', { quota: number }>;
      const { row } = await call(caller, body);
      expect(
        [least.quota <= row!.quota, row!.quota <= most.quota],
        JSON.stringify({ least, most, row }),
      ).toEqual([true, true]);
    }),
    { numRuns },
  );
});

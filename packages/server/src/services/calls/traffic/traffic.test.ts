import {
  channelApi,
  logType,
  type PastRoute,
  type ReplayOutcome,
  role,
  trafficApi,
} from '@tollgate/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { channelMinutes, logs, type Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { logRow } from '../../../testing/log-row.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';
import type { Channel } from '../../../relay/types/index.ts';
import type { Level } from '../routing/index.ts';
import { replay, type ReplayDeps } from './replay.ts';

const hour = 3_600;
const start = 1_800_000_000 - (1_800_000_000 % hour);
/** Channels with their share of the calls, chance of success, wait and cost of a call. */
const day = {
  1: { weight: 60, success: 0.9, waitMs: 400, cost: 30 },
  2: { weight: 20, success: 0.99, waitMs: 900, cost: 60 },
  3: { weight: 0, success: 0.5, waitMs: 200, cost: 10 },
} as const;
type Id = keyof typeof day;
const ids = [1, 2, 3] as const;

/** Chances that are the same in each run. */
function chances(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const channel = (id: Id) =>
  ({ id, name: `channel ${id}`, weight: day[id].weight, maxInputTokens: 0 }) as Channel;
const level: Level = {
  priority: 0,
  channels: ids.map(channel),
  kept: new Float64Array(),
  other: new Uint32Array(),
};

const depsOf = (store: Store, parts: Partial<ReplayDeps> = {}): ReplayDeps => ({
  reports: store.db,
  routing: { candidates: () => [level], policyOf: () => 'random' },
  costOn: ({ id }) => day[id as Id].cost,
  attempts: () => 2,
  channelName: (id) => `channel ${id}`,
  ...parts,
});

/** A day of calls, as the gateway would have served and counted them: two attempts, drawn by weight. */
async function playDay(store: Store): Promise<void> {
  const random = chances();
  const rows: Parameters<typeof logs.insert>[1][number][] = [];
  const minutes = new Map<string, channelMinutes.ChannelMinute>();
  const count = (id: Id, minute: number, outcome: 'succeeded' | 'server_error'): void => {
    const key = `${id} ${minute}`;
    const row = minutes.get(key) ?? {
      minute,
      channel_id: id,
      key_id: '',
      model: 'm',
      ...channelMinutes.emptyCounts(),
    };
    row[outcome] += 1;
    const bucket = channelMinutes.timeBounds.findIndex((bound) => day[id].waitMs <= bound);
    if (outcome === 'succeeded') row[`first_${bucket}`]! += 1;
    minutes.set(key, row);
  };
  const pick = (left: readonly Id[]): Id => {
    let point = random() * left.reduce((sum, id) => sum + day[id].weight + 10, 0);
    return left.find((id) => (point -= day[id].weight + 10) < 0) ?? left.at(-1)!;
  };
  for (let n = 0; n < 3_000; n += 1) {
    const at = start + Math.floor((n * 24 * hour) / 3_000);
    const tries: Id[] = [];
    let isAnswered = false;
    while (!isAnswered && tries.length < 2) {
      const id = pick(ids.filter((each) => !tries.includes(each)));
      tries.push(id);
      isAnswered = random() < day[id].success;
      count(id, at - (at % 60), isAnswered ? 'succeeded' : 'server_error');
    }
    const last = tries.at(-1)!;
    const waited = tries.reduce((sum, id) => sum + day[id].waitMs, 0);
    const other = isAnswered
      ? {
          frt: waited,
          model_price: -1,
          usage_source: 'upstream',
          receipt: { terms: [{ what: 'input', count: 100, unit: '1', amount: '100' }], minimum: 0 },
        }
      : { status_code: 503, admin_info: { tries: tries.map((channelId) => ({ channelId, ms: 1 })) } };
    rows.push(
      logRow({
        request_id: `r${n}`,
        created_at: at,
        model_name: 'm',
        type: isAnswered ? logType.consume : logType.error,
        quota: isAnswered ? 100 : 0,
        cost: isAnswered ? day[last].cost : null,
        channel_id: last,
        other: JSON.stringify(other),
      }),
    );
  }
  await logs.insert(store.db, rows);
  await channelMinutes.add(store.db, [...minutes.values()]);
}

const run = (store: Store, plan: object = {}, parts?: Partial<ReplayDeps>): Promise<ReplayOutcome> =>
  replay(
    depsOf(store, parts),
    { from: start, to: start + 24 * hour, model: '', group: '', without: 0, policy: '', ...plan },
    { onProgress: () => undefined, signal: new AbortController().signal },
  );

const near = (value: number | null, wanted: number | null, share: number): void => {
  expect(Math.abs(value! / wanted! - 1)).toBeLessThan(share);
};

eachDialect('a replay of a day', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
    await playDay(store);
  });

  it('without changes has the figures of the day: success within a point, cost within 5%, waiting within 20%', async () => {
    const { total, replayed, whole, channels, rows, uncosted } = await run(store);
    expect([total, replayed, uncosted]).toEqual([3_000, 3_000, 0]);
    const { actual, present, changed } = whole;
    expect(changed).toEqual(present);
    expect(Math.abs(present.success - actual.success)).toBeLessThan(0.01);
    near(present.charge, actual.charge, 0.02);
    near(present.cost, actual.cost, 0.05);
    near(present.margin, actual.margin, 0.05);
    near(present.wait, actual.wait, 0.2);
    for (const each of channels) near(each.present, each.actual, 0.12);
    expect(rows).toMatchObject([{ model: 'm', group: 'default', calls: 3_000 }]);
  });

  it('without a channel gives its calls to the others', async () => {
    const { channels, whole } = await run(store, { without: 1 });
    const of = (id: Id) => channels.find((each) => each.channel === id)!;
    expect(of(1)).toMatchObject({ changed: 0 });
    expect(of(1).present).toBeGreaterThan(1_500);
    expect(of(2).changed).toBeGreaterThan(of(2).present + 1_000);
    // The dearer channel serves most of them now.
    expect(whole.changed.cost!).toBeGreaterThan(whole.present.cost! * 1.2);
    expect(whole.changed.margin!).toBeLessThan(whole.present.margin!);
  });

  it('by another policy uses the cheapest, or mostly the fastest', async () => {
    const cheapest = await run(store, { policy: 'cheapest' });
    const first = cheapest.channels.find((each) => each.channel === 3)!;
    expect(first.changed).toBeGreaterThan(first.present * 2);
    expect(cheapest.whole.changed.success).toBeLessThan(cheapest.whole.present.success);
    const fastest = await run(store, { policy: 'fastest' });
    expect(fastest.whole.changed.wait!).toBeLessThan(fastest.whole.present.wait!);
  });

  it('of no channel at all answers nothing, and of an unknown one says that its rate is a guess', async () => {
    const none = await run(store, {}, { costOn: () => 'unpriced' });
    expect(none.whole.changed).toMatchObject({ success: 0, wait: null });
    const other = { ...level, channels: [{ ...channel(1), id: 9 }] };
    const guess = await run(
      store,
      {},
      {
        routing: { candidates: () => [other], policyOf: () => 'random' },
        costOn: () => null,
      },
    );
    expect(guess.guessed).toBe(1);
    expect(guess.whole.changed.cost).toBeNull();
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const running = replay(
      depsOf(store),
      { from: start, to: start + 24 * hour, model: '', group: '', without: 0, policy: '' },
      { onProgress: () => controller.abort(), signal: controller.signal },
    );
    await expect(running).rejects.toThrow(/abort/i);
  });
});

describe('the calls', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ routes: operatorCalls });
    return () => house.close();
  });

  it('show a past moment with its channels and what has changed since, and keep costs for root', async () => {
    const admin = await house.person('admin', { role: role.admin });
    const root = await house.person('root', { role: role.root });
    await admin.must(channelApi.create, {
      type: 1,
      name: 'one',
      key: 'sk-1',
      models: 'gpt-4o-mini',
      group: 'default',
    });
    const now = Math.floor(house.time.ms / 1_000);
    const minute = now - (now % 60) - hour;
    const row = { key_id: '', model: 'gpt-4o-mini', ...channelMinutes.emptyCounts() };
    await channelMinutes.add(house.core.store.db, [
      { ...row, minute, channel_id: 1, succeeded: 3, limited: 1, first_5: 3 },
      { ...row, minute: minute - 60, channel_id: 77, server_error: 2 },
      { ...row, minute: minute - 7_200, channel_id: 1, succeeded: 9 },
    ]);
    const past = (await admin.must(trafficApi.past, { model: 'gpt-4o-mini' })) as PastRoute;
    expect(past.channels).toMatchObject([
      { channel: 1, name: 'one', succeeded: 3, failed: 1, failures: { limited: 1 }, in_group: true },
      { channel: 77, succeeded: 0, failed: 2, wait: null, in_group: false },
    ]);
    expect(past.changes).toMatchObject([{ kind: 'channel.create', target: 'one' }]);
    const refused = await admin.call(trafficApi.past, { model: 'm', at: now - 26 * hour });
    expect(refused.body.code).toBe('replay_too_old');

    const { id } = (await admin.must(trafficApi.start, { hours: 1 })) as { id: string };
    const read = async (agent = admin) =>
      (await agent.must(trafficApi.get, { replay: id })) as { state: string; outcome: ReplayOutcome | null };
    await expect.poll(async () => (await read()).state).toBe('done');
    expect((await read()).outcome?.whole.actual).toMatchObject({ cost: null, margin: null });
    expect((await read(root)).outcome?.total).toBe(0);
    await admin.must(trafficApi.stop, { replay: id });
    expect((await admin.call(trafficApi.get, { replay: id })).body.code).toBe('replay_gone');
    expect((await admin.call(trafficApi.start, { without: 999 })).body.code).toBe('channel_not_found');
  });
});

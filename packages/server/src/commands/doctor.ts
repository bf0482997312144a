import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Env, readEnv } from '../boot/env.ts';
import { notRead } from '../boot/environment/not-read.ts';
import { backupFolderOf, installationOf } from '../boot/installation.ts';
import { keyFileOf, readMasterKey } from '../boot/master-key.ts';
import { workerCount } from '../boot/workers/count.ts';
import { systemSleep } from '../lib/clock.ts';
import { archivedUpTo, logChanges, logMoves, openStore, schemaState, type Store } from '../store/index.ts';
import { checkDatabase } from './doctor/database.ts';
import { errorMessage, type Line, note, ok, wrong } from './doctor/line.ts';
import { checkProcesses } from './doctor/processes.ts';
import { checkUpstreams } from './doctor/upstreams.ts';
import { fail } from './shared/fail.ts';
import { diskRoom } from '../services/upkeep/status/index.ts';
import { archiveMissing } from '../services/upkeep/logs/index.ts';
import { product } from '@tollgate/contract';
import { type Installation, listBackups } from '../services/upkeep/backups/index.ts';

const mb = 1024 * 1024;
const dayMs = 86_400_000;

/** Disk space for the database, file permissions, and whether there are backups. */
async function checkFiles(env: Env, files: Installation, nowMs: number): Promise<Line[]> {
  const { free, needed, size } = await diskRoom(files.database);
  const room = `${Math.floor(free / mb)} MB free beside a database of ${Math.ceil(size / mb)} MB`;
  return [
    free < needed ? wrong(`${room}: less than it may need`) : ok(room),
    ...[files.database, files.keyFile].filter((path) => existsSync(path)).map(checkPrivacy),
    await checkBackups(env, nowMs),
  ];
}

const checkPrivacy = (path: string): Line =>
  process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
    ? wrong(`${path} can be read by others: chmod 600`)
    : ok(`${path} is its owner's alone`);

async function checkBackups(env: Env, nowMs: number): Promise<Line> {
  const folder = backupFolderOf(env);
  const [newest] = await listBackups(folder);
  if (!newest) return note(`no backup in ${folder}: run the command backup, or set BACKUP_EVERY_HOURS`);
  const days = Math.floor((nowMs - newest.madeAt.getTime()) / dayMs);
  const text = `the newest backup is ${days === 0 ? 'of the last 24 hours' : `${days} days old`}: ${newest.folder}`;
  return days > 7 ? note(text) : ok(text);
}

/** Rows move some minutes after they are written. Rows older than this (s) in the main database are delayed. */
const lateAfter = 15 * 60;

/** Checks that the database of LOG_SQL_DSN responds, and counts the log rows that wait for it. */
async function checkLogArchive({ db, archive }: Store, nowMs: number): Promise<Line[]> {
  const cut = await archivedUpTo(db);
  if (!archive) return cut > 0 ? [wrong(archiveMissing)] : [];
  const waiting = await logMoves.countWaiting(db, cut, Math.floor(nowMs / 1000) - lateAfter);
  const changes = await logChanges.countPending(db);
  const late =
    waiting + changes > 0
      ? [
          note(
            `${waiting} rows of the log and ${changes} changes of such rows wait for the database of LOG_SQL_DSN`,
          ),
        ]
      : [];
  try {
    const state = await schemaState(archive);
    if (state === 'foreign')
      return [wrong('the database of LOG_SQL_DSN holds tables of another program'), ...late];
    if (state === 'newer')
      return [wrong(`the database of LOG_SQL_DSN is of a newer ${product.name}`), ...late];
    if (state === 'current') await logMoves.newestId(archive.db);
    return [ok(`the database of LOG_SQL_DSN (${archive.dialect.kind}) answers`), ...late];
  } catch (error) {
    const text = `the database of LOG_SQL_DSN does not answer, so older rows of the log cannot be read and new ones wait`;
    return [wrong(`${text}: ${errorMessage(error)}`), ...late];
  }
}

/** Checks an installation and prints the results: `npm run doctor [-- --json]`. Changes nothing. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const lines = await examine();
  const signs = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' };
  if (values.json) process.stdout.write(`${JSON.stringify(lines, null, 2)}\n`);
  else for (const { level, text } of lines) process.stdout.write(`${signs[level]}  ${text}\n`);
  if (lines.some(({ level }) => level === 'wrong')) process.exitCode = 1;
}

async function examine(): Promise<Line[]> {
  let env: Env;
  try {
    env = readEnv(process.env);
  } catch (error) {
    return errorMessage(error)
      .split('\n')
      .map((each) => wrong(`configuration: ${each}`));
  }
  const configuration = [ok('configuration'), ...notRead(process.env).map(note), checkWorkers(env)];
  const files = installationOf(env);
  if (files && !existsSync(files.database))
    return [...configuration, note(`there is no database yet: ${files.database}`)];
  const around = files ? await checkFiles(env, files, Date.now()) : [];
  return [...configuration, ...around, ...(await examineStore(env, files !== undefined))];
}

/** Number of processes that serve calls. */
function checkWorkers(env: Env): Line {
  const cores = availableParallelism();
  try {
    const count = workerCount(env, { platform: process.platform, cores });
    return ok(
      count === 1 ? 'one process carries the calls' : `${count} workers carry the calls, on ${cores} cores`,
    );
  } catch (error) {
    return wrong(`configuration: ${errorMessage(error)}`);
  }
}

async function examineStore(env: Env, isEmbedded: boolean): Promise<Line[]> {
  try {
    const store = await openStore({ url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir });
    try {
      const database = await checkDatabase(store, Date.now());
      if (!database.isReadable) return database.lines;
      const logs = await checkLogArchive(store, Date.now());
      const lines = [...database.lines, ...logs, ...(await checkProcesses(store, env.redisUrl, systemSleep))];
      // Reading the key creates a missing one, which a check must not do.
      if (isEmbedded && env.secretKey === '' && !existsSync(keyFileOf(env.dataDir)))
        return [
          ...lines,
          wrong(`${keyFileOf(env.dataDir)} is missing: without it no stored key can be read`),
        ];
      return [...lines, ...(await checkUpstreams(store, readMasterKey(env), Date.now))];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [wrong(`the database cannot be opened: ${errorMessage(error)}`)];
  }
}

main().catch((error: unknown) => fail('The examination was broken off', error));

import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Env } from '../../boot/env.ts';
import { backupFolderOf } from '../../boot/installation.ts';
import { type Installation, listBackups } from '../../services/upkeep/backups/index.ts';
import { type Line, note, ok, wrong } from './line.ts';

const mb = 1024 * 1024;
const dayMs = 86_400_000;

/** Disk space for the database, file permissions, and whether there are backups. */
export async function checkFiles(env: Env, files: Installation, nowMs: number): Promise<Line[]> {
  const { bavail, bsize } = await statfs(dirname(files.database));
  const free = bavail * bsize;
  const { size } = statSync(files.database);
  const needed = Math.max(1024 * mb, size);
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
  if (!newest) return note(`no backup in ${folder}: npm run backup, or BACKUP_EVERY_HOURS`);
  const days = Math.floor((nowMs - newest.madeAt.getTime()) / dayMs);
  const text = `the newest backup is ${days === 0 ? 'of the last 24 hours' : `${days} days old`}: ${newest.folder}`;
  return days > 7 ? note(text) : ok(text);
}

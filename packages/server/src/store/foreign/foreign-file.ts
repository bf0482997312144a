import {
  accessSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  closeSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { product } from '@tollgate/contract';
import { isBusy } from '../dialects/sqlite.ts';

/** An SQLite file of another program, in a transaction with a consistent state. */
interface ForeignFile {
  raw: DatabaseSync;
  /** True if another process has it open, or is writing. */
  isInUse: boolean;
  /** Removes the temporary files. Called when `raw` is closed. */
  close(): void;
}

/** Maximum time for which a writer may hold its lock, in ms. */
const writerMs = 15_000;

/**
 * Opens the file and begins a transaction. If no other process uses the file, the transaction has the write lock until
 * it ends; otherwise it has a read lock, which shows one state. Unfinished writes of a killed program are completed in
 * a copy: the file itself is never written. Throws for a damaged file.
 */
export function openForeignFile(path: string): ForeignFile {
  const isOpen = isOpenElsewhere(path);
  const left = [`${path}-journal`, `${path}-wal`].filter(
    // Its program may remove a journal at any moment.
    (file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  if (!isOpen && left.length > 0) return ofCopy(path, left);
  return checked(isOpen || !mayWrite(path) ? reading(path, isOpen) : locked(path));
}

function locked(path: string): ForeignFile {
  const raw = new DatabaseSync(path, { timeout: writerMs });
  try {
    raw.exec('begin immediate');
    return { raw, isInUse: false, close: () => undefined };
  } catch (error) {
    raw.close();
    if (!isBusy(error)) throw error;
    return reading(path, true);
  }
}

function reading(path: string, isInUse: boolean): ForeignFile {
  // A file with a log of writes cannot be read without files beside it, which a folder may not allow.
  const isAlone = !isInUse && hasWriteAhead(path);
  const place = isAlone ? `${pathToFileURL(path).href}?immutable=1` : path;
  const raw = new DatabaseSync(place, { readOnly: true, timeout: writerMs });
  try {
    raw.exec('begin');
    // A transaction shows the state of its first statement.
    raw.prepare('select count(*) from sqlite_master').get();
    return { raw, isInUse, close: () => undefined };
  } catch (error) {
    raw.close();
    throw error;
  }
}

/** Names of folders with a copy begin so; the id of their process follows. */
const copyName = `${product.id}-import-`;

/** Removes copies of files whose process was killed: they hold passwords and keys. */
export function removeLeftCopies(): void {
  for (const name of listed(tmpdir())) {
    const [, pid] = name.startsWith(copyName) ? (/^(\d+)-/.exec(name.slice(copyName.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, who removes it.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A copy with its journal files, which SQLite recovers; counts as in use if the original changed meanwhile. */
function ofCopy(path: string, beside: readonly string[]): ForeignFile {
  removeLeftCopies();
  const folder = mkdtempSync(join(tmpdir(), `${copyName}${process.pid}-`));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'source.db');
    const before = stateOf([path, ...beside]);
    copyFileSync(path, copy);
    for (const file of beside) copyFileSync(file, copy + file.slice(path.length));
    const isInUse = isOpenElsewhere(path) || stateOf([path, ...beside]) !== before;
    const { raw } = checked(locked(copy));
    return { raw, isInUse, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Sizes and times of files, which a write changes. */
const stateOf = (files: readonly string[]): string =>
  files
    .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
    .map((file) => `${file?.size} ${file?.mtimeNs}`)
    .join('\n');

/** A file with a damaged page may be read without an error but with wrong data. */
function checked(file: ForeignFile): ForeignFile {
  let first: unknown;
  try {
    first = Object.values(file.raw.prepare('pragma quick_check(1)').get() ?? {})[0];
  } catch (error) {
    first = error instanceof Error ? error.message : error;
  }
  if (first === 'ok') return file;
  file.raw.close();
  file.close();
  throw new Error(`the file is damaged: ${String(first)}`);
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Bytes 18 and 19 of the head are 2 if writes go into a log beside the file. */
function hasWriteAhead(path: string): boolean {
  const head = Buffer.alloc(20);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  return head[18] === 2;
}

/**
 * True if another process has the file open, by Linux's list of open files: an idle program holds no lock. Other
 * systems have no such list, and only root sees the processes of other users in it. In these cases only the lock is
 * checked.
 */
function isOpenElsewhere(path: string): boolean {
  const { dev, ino } = statSync(path, { bigint: true });
  const isIt = (link: string): boolean => {
    const file = statSync(link, { bigint: true, throwIfNoEntry: false });
    return file?.ino === ino && file.dev === dev;
  };
  return listed('/proc').some(
    (pid) =>
      /^\d+$/.test(pid) &&
      Number(pid) !== process.pid &&
      listed(`/proc/${pid}/fd`).some((fd) => isOpenFile(`/proc/${pid}/fd/${fd}`, isIt)),
  );
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Processes may end, and close files, during the check. */
function isOpenFile(link: string, isIt: (link: string) => boolean): boolean {
  try {
    return isIt(link);
  } catch {
    return false;
  }
}

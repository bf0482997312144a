import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { product } from '@tollgate/contract';

/** Syncs a file to disk, so that its content survives a power cut. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Copies a SQLite database in one read transaction, while others write to it. The copy is one file without a WAL,
 * readable only by its owner, and on disk when this returns. Blocks this thread meanwhile; throws if the target
 * exists.
 */
export function copySqlite(from: string, to: string): void {
  const db = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    db.prepare('vacuum into ?').run(to);
  } finally {
    db.close();
  }
  chmodSync(to, 0o600);
  syncFile(to);
}

/** Errors that SQLite finds in a file, page by page and index by index; empty if there are none. */
export function findDamage(path: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = db.prepare('pragma integrity_check').all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    db.close();
  }
}

/**
 * Checkpoints the WAL of a SQLite file, so that the file is the whole database. Throws if another process has it open.
 */
export function closeSqliteFile(path: string): void {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('pragma journal_mode = delete');
  } catch (error) {
    throw new Error(`${path} is in use: stop ${product.name} first`, { cause: error });
  } finally {
    db.close();
  }
}

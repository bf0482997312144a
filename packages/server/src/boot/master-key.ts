import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from './env.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';

/** Where the key of an embedded database is kept. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'secret.key');

function readKeyFile(path: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const key = Buffer.from(text, 'base64url');
  // A cut or emptied file must not quietly become a weak key that opens nothing.
  if (key.length < 32)
    throw new Error(`${path} is damaged: restore it from a backup, or the stored keys are lost`);
  return key;
}

/**
 * The key that encrypts every stored secret: SECRET_KEY, or for the embedded database a file beside it, made at first
 * start and readable by its owner alone. A database of several machines has no such place, so there SECRET_KEY must be
 * given: throws rather than storing secrets in clear.
 */
export function readMasterKey(env: Pick<Env, 'secretKey' | 'databaseUrl' | 'dataDir'>): Buffer {
  if (env.secretKey !== '') return Buffer.from(env.secretKey, 'utf8');
  if (parseDatabaseUrl(env.databaseUrl, env.dataDir).kind !== 'sqlite') {
    throw new Error('SECRET_KEY must be set (at least 32 random characters) when the database is not SQLite');
  }
  const path = keyFileOf(env.dataDir);
  const known = readKeyFile(path);
  if (known) return known;
  const key = randomBytes(32);
  mkdirSync(env.dataDir, { recursive: true });
  // 'wx': of two processes that start at once, one makes the key and the other fails instead of replacing it.
  writeFileSync(path, `${key.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

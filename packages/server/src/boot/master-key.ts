import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from './env.ts';
import { syncFile } from '../store/index.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';

/** The key file of an embedded database. */
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
  // A truncated or empty file must not silently become a weak key that decrypts nothing.
  if (key.length < 32)
    throw new Error(`${path} is damaged: restore it from a backup, or the stored keys are lost`);
  return key;
}

/**
 * The key that encrypts every stored secret: SECRET_KEY, or for the embedded database a file beside it, created at
 * the first start and readable by its owner only. A database of several machines has no such file, so SECRET_KEY is
 * required: throws rather than storing secrets in plain text.
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
  // 'wx': if two processes start at once, one creates the key, and the other fails instead of replacing it.
  writeFileSync(path, `${key.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

type KeyEnv = Pick<Env, 'secretKey' | 'formerSecretKey' | 'databaseUrl' | 'dataDir'>;

/** The file of the former key of an embedded database, during a rotation. */
const formerKeyFileOf = (dataDir: string): string => `${keyFileOf(dataDir)}.former`;

/** The former master key during a rotation; undefined otherwise. */
export function readFormerKey(env: KeyEnv): Buffer | undefined {
  if (env.formerSecretKey !== '') return Buffer.from(env.formerSecretKey, 'utf8');
  if (env.secretKey !== '') return undefined;
  return readKeyFile(formerKeyFileOf(env.dataDir)) ?? undefined;
}

/** Writes a key file completely or not at all. */
function writeKeyFile(path: string, key: Buffer): void {
  const partial = `${path}.partial`;
  writeFileSync(partial, `${key.toString('base64url')}\n`, { mode: 0o600 });
  syncFile(partial);
  renameSync(partial, path);
}

/**
 * Makes sure that there is a new key beside the former one. The key file is saved as the former one before it is
 * replaced. After a kill at any moment, either both keys exist or only the current one; a started rotation continues.
 * Keys in the environment must both be given: throws if one is missing.
 */
export function beginRotation(env: KeyEnv): void {
  if (env.secretKey !== '') {
    if (env.formerSecretKey === '' || env.formerSecretKey === env.secretKey)
      throw new Error('set SECRET_KEY to the new key and FORMER_SECRET_KEY to the one in use');
    return;
  }
  const current = readMasterKey(env);
  const former = readKeyFile(formerKeyFileOf(env.dataDir));
  if (former && !former.equals(current)) return;
  if (!former) writeKeyFile(formerKeyFileOf(env.dataDir), current);
  writeKeyFile(keyFileOf(env.dataDir), randomBytes(32));
}

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMasterKey } from './master-key.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const sqlite = () => ({ secretKey: '', databaseUrl: '', dataDir });

describe('the master key', () => {
  it('is created once beside the embedded database, readable by its owner alone, and stays the same', () => {
    const key = readMasterKey(sqlite());
    expect(key).toHaveLength(32);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readMasterKey(sqlite())).toEqual(key);
  });

  it('is never created for a database of several machines', () => {
    const env = { secretKey: '', databaseUrl: 'postgres://db/tollgate', dataDir };
    expect(() => readMasterKey(env)).toThrow(/SECRET_KEY/);
    const given = 'k'.repeat(32);
    expect(readMasterKey({ ...env, secretKey: given }).toString()).toBe(given);
  });

  it('is not replaced when its file was damaged', () => {
    writeFileSync(join(dataDir, 'secret.key'), 'cut');
    expect(() => readMasterKey(sqlite())).toThrow(/damaged/);
  });
});

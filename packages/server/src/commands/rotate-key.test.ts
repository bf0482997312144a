import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeCore, type Core, openCore } from '../boot/site.ts';
import { readEnv } from '../boot/env.ts';
import { makeBackup } from '../services/upkeep/backups/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';

let dataDir: string;
let site: Core | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-rotate-'));
});
afterEach(async () => {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
});
const start = async (): Promise<Core> => {
  site = await openCore(readEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }));
  return site;
};
const stop = async (): Promise<void> => {
  if (site) await closeCore(site);
  site = undefined;
};

/** Runs the command as an operator does. */
const rotate = (env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const given = { ...bundledEnv(), DATA_DIR: dataDir, ...env };
    execFile(process.execPath, [bundled('rotate-key')], { env: given }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
const keyFile = (): string => join(dataDir, 'secret.key');
const formerFile = (): string => `${keyFile()}.former`;
const secret = 'a-secret-among-the-options';
const isKept = async (): Promise<void> => {
  expect((await start()).settings.get('SMTPToken')).toBe(secret);
  await stop();
};

it('a key file is replaced, and the former one may be deleted once everything opens with the new one', async () => {
  await (await start()).settings.set('SMTPToken', secret);
  await stop();
  const before = readFileSync(keyFile(), 'utf8');
  // State after a kill between the copy of the former key and the creation of a new one.
  copyFileSync(keyFile(), formerFile());
  await isKept();

  const done = await rotate();
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toContain('every secret opens with the new key alone');
  expect(readFileSync(formerFile(), 'utf8')).toBe(before);
  const now = readFileSync(keyFile(), 'utf8');
  expect(now).not.toBe(before);
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  await isKept();

  // A second run continues with the same keys and creates no third one.
  expect((await rotate()).out).toContain('0 secrets were sealed anew');
  expect(readFileSync(keyFile(), 'utf8')).toBe(now);
  const installation = { database: join(dataDir, 'tollgate.db'), keyFile: keyFile() };
  await expect(makeBackup(installation, join(dataDir, 'backups'), new Date())).rejects.toThrow(/rotate-key/);

  rmSync(formerFile());
  await isKept();
  expect(existsSync(formerFile())).toBe(false);
}, 120_000);

it('a key of the environment is replaced only where both are given', async () => {
  const given = { SECRET_KEY: 'the new key, which has 32 characters' };
  expect(await rotate(given)).toMatchObject({
    code: 1,
    err: expect.stringContaining('FORMER_SECRET_KEY') as string,
  });
  expect(existsSync(keyFile())).toBe(false);
}, 120_000);

import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boot, type RunningSite } from '../boot/boot.ts';
import { readEnv } from '../boot/env.ts';
import { checkBooks } from '../services/money/ledger/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';

const root = mkdtempSync(join(tmpdir(), 'tollgate-backup-'));
const dataDir = join(root, 'data');
const backups = join(root, 'backups');
const password = 'a good password';
let tollgate: RunningSite;
let key: string;

/** Runs a command as an operator does; returns its output and exit status. */
const command = (
  name: 'backup' | 'restore',
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const given = { ...bundledEnv(), DATA_DIR: dataDir, BACKUP_DIR: backups, ...env };
    execFile(process.execPath, [bundled(name), ...args], { env: given }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });

const start = (folder: string): Promise<RunningSite> =>
  boot(readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder, LOG_LEVEL: 'silent', DRAIN_SECONDS: '2' }));

const ask = (at: RunningSite): Promise<unknown> =>
  new OpenAI({
    apiKey: key,
    baseURL: `http://127.0.0.1:${at.port}/v1`,
    maxRetries: 0,
  }).chat.completions.create({
    model: 'sandbox',
    messages: [{ role: 'user', content: 'hello' }],
  });

const post = async (
  at: RunningSite,
  path: string,
  body: object,
): Promise<{ success: boolean; data: unknown }> => {
  const answer = await fetch(`http://127.0.0.1:${at.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { success: boolean; data: unknown };
};

/** The only backup in the output of a run. */
const folderIn = (out: string): string => /^(.+): whole/m.exec(out)![1]!;

beforeAll(async () => {
  tollgate = await start(dataDir);
  const { data } = await post(tollgate, '/api/setup', {
    username: 'root',
    password,
    confirmPassword: password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
    sandbox: true,
    token: tollgate.setupToken(),
  });
  key = `sk-${(data as { key: string }).key}`;
});
afterAll(async () => {
  await tollgate.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a backup', () => {
  it('made while calls are charged is complete, and another machine continues from it', async () => {
    let isDone = false;
    let calls = 0;
    const load = (async () => {
      while (!isDone) {
        await ask(tollgate);
        calls += 1;
      }
    })();
    const made = await command('backup');
    isDone = true;
    await load;
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(calls).toBeGreaterThan(1);

    const elsewhere = join(root, 'elsewhere');
    const restored = await command('restore', [folderIn(made.out)], { DATA_DIR: elsewhere });
    expect(restored).toMatchObject({ code: 0, err: '' });
    const other = await start(elsewhere);
    try {
      expect(await checkBooks(other.core.store.db, { atRest: true })).toEqual([]);
      expect(other.isSetUp()).toBe(true);
      expect((await post(other, '/api/user/login', { username: 'root', password })).success).toBe(true);
      // The call proves that the key was found and that it opens the channel's secrets.
      await ask(other);
    } finally {
      await other.close();
    }
  });

  it('is readable by its owner alone, including the key', async () => {
    const { out } = await command('backup');
    expect(readdirSync(folderIn(out)).toSorted()).toEqual(['backup.json', 'secret.key', 'tollgate.db']);
    expect(out).toContain('HOLDS THE MASTER KEY');
    for (const name of ['secret.key', 'tollgate.db', 'backup.json'])
      expect(statSync(join(folderIn(out), name)).mode & 0o077).toBe(0);
  });

  it('leaves the key out when that is asked for, and says so by silence', async () => {
    for (const made of [
      await command('backup', ['--without-key', join(root, 'keyless')]),
      await command('backup', [join(root, 'keyless')], { BACKUP_WITHOUT_KEY: 'true' }),
    ]) {
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(made.out).not.toContain('MASTER KEY');
      expect(readdirSync(folderIn(made.out)).toSorted()).toEqual(['backup.json', 'tollgate.db']);
    }
  });

  it('makes room by deleting the oldest, and none that is still needed', async () => {
    const into = join(root, 'few');
    const folders: string[] = [];
    for (let i = 0; i < 3; i += 1)
      folders.push(folderIn((await command('backup', [into], { BACKUP_KEEP: '2' })).out));
    expect(
      readdirSync(into)
        .map((name) => join(into, name))
        .toSorted(),
    ).toEqual(folders.slice(1));
  });

  it('of a database on a server is refused with the reason', async () => {
    const refused = await command('backup', [], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1/x',
      SECRET_KEY: 'x'.repeat(32),
    });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('pg_dump') as string });
  });
});

describe('a restore', () => {
  let good: string;
  beforeAll(async () => {
    good = folderIn((await command('backup')).out);
  });

  /** A damaged copy of the good backup. */
  const spoilt = (name: string, spoil: (folder: string) => void): string => {
    const folder = join(root, name);
    cpSync(good, folder, { recursive: true });
    spoil(folder);
    return folder;
  };
  const flip = (folder: string, at: number): void => {
    const file = join(folder, 'tollgate.db');
    const bytes = readFileSync(file);
    bytes[at] = bytes[at]! ^ 0xff;
    writeFileSync(file, bytes);
  };

  it('is refused while Tollgate runs, and nothing has changed', async () => {
    const before = readdirSync(dataDir);
    const refused = await command('restore', [good]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('stop Tollgate first') as string });
    expect(readdirSync(dataDir).filter((name) => name.includes('replaced'))).toEqual([]);
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(before));
    await ask(tollgate);
  });

  it.each([
    ['a changed byte', (folder: string) => flip(folder, 5_000)],
    [
      'a cut file',
      (folder: string) =>
        writeFileSync(
          join(folder, 'tollgate.db'),
          readFileSync(join(folder, 'tollgate.db')).subarray(0, 4_096),
        ),
    ],
    ['no manifest', (folder: string) => rmSync(join(folder, 'backup.json'))],
    ['no database', (folder: string) => rmSync(join(folder, 'tollgate.db'))],
  ])('of a backup with %s is refused, and the present data stay', async (name, spoil) => {
    const target = join(root, `target of ${name}`);
    mkdirSync(target);
    writeFileSync(join(target, 'tollgate.db'), 'what was there');
    const refused = await command('restore', [spoilt(name, spoil)], { DATA_DIR: target });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^Nothing was restored: /);
    expect(readFileSync(join(target, 'tollgate.db'), 'utf8')).toBe('what was there');
  });

  it('keeps what it replaces, and without a name lists the backups', async () => {
    const target = join(root, 'replaced');
    await command('restore', [good], { DATA_DIR: target });
    const again = await command('restore', [good], { DATA_DIR: target });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('kept') as string });
    expect(readdirSync(target).filter((name) => name.includes('.replaced-'))).toHaveLength(1);
    expect((await command('restore')).out).toContain(good);
  });
});

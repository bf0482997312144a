/** @module-tag deep */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channelInput, sandboxChannelType } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeCore, type Core, openCore } from '../boot/site.ts';
import { readEnv } from '../boot/env.ts';
import { systemSleep } from '../lib/clock.ts';
import { freshServer, missingServer } from '../store/each-dialect.ts';
import { moveCut } from '../store/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { checkProcesses } from './doctor/processes.ts';

let dataDir: string;
let core: Core;
let upstream: Server;
let skewMs: number;

const doctor = (
  env: Record<string, string> = {},
  words: string[] = [],
): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const given = { ...bundledEnv(), DATA_DIR: dataDir, ...env };
    execFile(process.execPath, [bundled('doctor'), ...words], { env: given }, (error, out) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out }),
    );
  });

const siteOf = (): string => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'));
  skewMs = 0;
  upstream = createServer((_req, res) =>
    res.writeHead(404, { date: new Date(Date.now() + skewMs).toUTCString() }).end(),
  );
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  core = await openCore(readEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }));
  await core.channels.create(
    channelInput.parse({
      type: 1,
      name: 'one',
      key: 'sk-upstream-0123456789',
      models: 'm',
      base_url: siteOf(),
      group: 'default',
    }),
  );
  await core.channels.create(
    channelInput.parse({
      type: sandboxChannelType,
      name: 'two',
      key: 'any',
      models: 's',
      group: 'default',
    }),
  );
});
afterEach(async () => {
  await closeCore(core);
  upstream.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the examination of an installation', () => {
  it('finds nothing wrong with a healthy one, while it runs', async () => {
    const { code, out } = await doctor({ NODE_TYPE: 'slave', LOG_SQL_DSN: 'sqlite:log.db' });
    expect(code, out).toBe(0);
    for (const words of [
      'one process carries the calls',
      'is whole and of this version',
      'takes writes',
      'the database of LOG_SQL_DSN (sqlite) answers',
      'the books agree',
      'all 2 channels open',
    ])
      expect(out).toContain(words);
    expect(out).toContain(`ok     ${siteOf()} answers`);
    expect(out).toContain('note   NODE_TYPE is set and does nothing here');
    expect(out).not.toContain('WRONG');
    // The sandbox answers inside the process: no check sends it a network request.
    expect(out).not.toContain('sandbox');
    const { out: json } = await doctor({}, ['--json']);
    const levels = (JSON.parse(json) as { level: string; text: string }[]).map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set(['ok', 'note']));
  });

  it.each<[string, RegExp, () => unknown, Record<string, string>?]>([
    [
      'a setting that cannot be',
      /configuration: PORT must be a whole number/,
      () => undefined,
      { PORT: 'many' },
    ],
    [
      'workers that cannot be had',
      /configuration: WORKERS is 3, but SQLite serves one process/,
      () => undefined,
      { WORKERS: '3' },
    ],
    [
      'a log whose database does not answer',
      /WRONG {2}the database of LOG_SQL_DSN does not answer/,
      () => undefined,
      { LOG_SQL_DSN: 'postgres://a:b@127.0.0.1:1/log' },
    ],
    [
      'a log whose database is not named any more',
      /WRONG {2}older rows of the log stand in another database, and LOG_SQL_DSN does not say which/,
      () => moveCut(core.store.db, 0, 5),
    ],
    [
      'books that do not agree',
      /WRONG {2}I\d+/,
      async () => {
        await core.store.db.insertInto('accounts').values({ balance: 5, held: 0 }).execute();
      },
    ],
    [
      'grants that do not agree with a balance',
      /WRONG {2}I23 granted/,
      async () => {
        await core.store.db.insertInto('accounts').values({ balance: 0, held: 0, granted: 7 }).execute();
      },
    ],
    [
      'a master key that is another',
      /keys of 2 channels do not open/,
      () => undefined,
      { SECRET_KEY: 'x'.repeat(40) },
    ],
    [
      'a lost key file',
      /secret\.key is missing/,
      () => renameSync(join(dataDir, 'secret.key'), join(dataDir, 'away')),
    ],
    [
      'a database that others can read',
      /tollgate\.db can be read by others/,
      () => chmodSync(join(dataDir, 'tollgate.db'), 0o644),
    ],
    [
      'a clock that is wrong',
      /this clock is \d+ s off/,
      () => {
        skewMs = 3_600_000;
      },
    ],
    [
      'a file that is no database',
      /WRONG {2}the database/,
      () => writeFileSync(join(dataDir, 'other.db'), 'x'.repeat(10_000)),
      { DATABASE_URL: 'sqlite:other.db' },
    ],
  ])('reports %s', async (_name, words, spoil, env) => {
    await spoil();
    const { code, out } = await doctor(env);
    expect(out).toMatch(words);
    expect(code).toBe(1);
  });

  it('creates nothing where there is no installation', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'tollgate-empty-'));
    const { code, out } = await doctor({ DATA_DIR: empty });
    expect(out).toContain('there is no database yet');
    expect(code).toBe(0);
    expect(readdirSync(empty)).toEqual([]);
    rmSync(empty, { recursive: true });
  });
});

describe('the report on several processes', () => {
  it.skipIf(missingServer('postgres') !== undefined)(
    'is that processes count separately without Redis',
    async () => {
      const env = { DATABASE_URL: await freshServer('postgres'), SECRET_KEY: 'x'.repeat(40) };
      const open = (name: string) =>
        openCore(readEnv({ ...env, LOG_LEVEL: 'silent', DATA_DIR: join(dataDir, name) }));
      const first = await open('a');
      const second = await open('b');
      const lines = await checkProcesses(first.store, '', systemSleep);
      expect(lines).toMatchObject([{ level: 'note', text: expect.stringMatching(/^2 processes .* Redis/) }]);
      await closeCore(second);
      expect(await checkProcesses(first.store, '', systemSleep)).toEqual([]);
      await closeCore(first);
    },
  );

  it('is whether Redis answers', async () => {
    const away = await checkProcesses(core.store, 'redis://127.0.0.1:1', systemSleep);
    expect(away).toMatchObject([{ level: 'wrong', text: expect.stringContaining('Redis does not answer') }]);
    if (missingServer('redis') !== undefined) return;
    const here = await checkProcesses(core.store, await freshServer('redis'), systemSleep);
    expect(here).toMatchObject([{ level: 'ok' }]);
  });
});

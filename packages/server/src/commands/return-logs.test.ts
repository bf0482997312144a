import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { logs } from '../store/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { Opened } from '../testing/log-archive/open-pair.ts';

const opened = new Opened();
afterAll(() => opened.close());

const run = (env: Record<string, string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundled('return-logs')], {
    env: { ...bundledEnv(), ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
};

it('moves the rows of the log back while Tollgate is stopped, and refuses with the reason while it runs', async () => {
  const main = await opened.file('main.db');
  const archive = await opened.file('log.db');
  const pair = await opened.pair(main, archive);
  for (let quota = 1; quota <= 3; quota += 1) await pair.charge({ quota });
  await pair.settle();
  const env = { DATABASE_URL: main, LOG_SQL_DSN: archive };
  expect(run(env)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('stop Tollgate first') as string,
  });
  await pair.moved.close();
  expect(run({ DATABASE_URL: main })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('LOG_SQL_DSN') as string,
  });
  const done = run(env);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toContain('3 rows of the log have come back\nLOG_SQL_DSN is needed no more');
  const alone = await opened.store({ url: main });
  expect((await logs.list(alone.db, {}, { offset: 0, limit: 10 })).rows).toHaveLength(3);
  expect((await logs.stat(alone.db, {}, pair.now)).quota).toBe(6);
}, 120_000);

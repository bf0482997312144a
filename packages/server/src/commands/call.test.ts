import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { consoleApis, role, selfApi } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { type House, openHouse, operatorCalls, testPassword } from '../testing/harness.ts';

let house: House;
let env: Record<string, string>;
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-call-'));

beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls, env: { DATA_DIR: dataDir } });
  const root = await house.person('root', { role: role.root });
  const made = await root.must(
    selfApi.createAccessToken,
    { name: 'command', scope: 'all', days: 1 },
    { password: testPassword },
  );
  const url = await house.app.listen({ port: 0, host: '127.0.0.1' });
  env = {
    ...bundledEnv(),
    TOLLGATE_URL: url,
    TOLLGATE_TOKEN: (made as { token: string }).token,
    TOLLGATE_USER: String(root.userId),
  };
});
afterAll(async () => {
  await house.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs the command while the site answers from this process. */
async function run(words: readonly string[], input = '', variables = env) {
  const child = spawn(process.execPath, [bundled('call'), ...words], { env: variables });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}

it('lists every call that the console has, and what one takes', async () => {
  const { stdout } = await run([]);
  const count = consoleApis.reduce((sum, { calls }) => sum + Object.keys(calls).length, 0);
  expect(stdout.trimEnd().split('\n').length).toBe(count);
  const one = await run(['tokens.create', '--help']);
  expect(one.stdout).toMatch(/^tokens\.create: .+\nPOST \/api\/token\/\n(?: {2}\w+\?? \(.*\) .+\n)+$/);
  expect((await run(['nothing'])).status).toBe(1);
});

it('makes a row with texts and numbers, reads it, changes it from JSON and deletes it', async () => {
  const name = '007';
  expect(await run(['tokens.create', `name=${name}`, 'remain_quota=5000'])).toMatchObject({
    status: 0,
    stderr: '',
  });
  const listed = JSON.parse((await run(['tokens.list', 'size=5'])).stdout) as { id: number }[];
  expect(listed).toEqual([expect.objectContaining({ name, remain_quota: 5_000 })]);
  const [token] = listed;
  const changed = JSON.stringify({ ...token, name: 'eight' });
  expect((await run(['tokens.update', '--body=-'], changed)).stderr).toBe('');
  const read = JSON.parse((await run(['tokens.get', `id=${token!.id}`])).stdout) as object;
  expect(read).toMatchObject({ name: 'eight', remain_quota: 5_000 });
  expect((await run(['tokens.remove', `id=${token!.id}`])).status).toBe(0);
  expect(JSON.parse((await run(['tokens.list'])).stdout)).toEqual([]);
});

it('acts as root beside the database, and leaves no token there', async () => {
  const local = { ...env, DATA_DIR: dataDir, TOLLGATE_TOKEN: '', TOLLGATE_USER: '' };
  const before = await run(['account.accessTokens', '--local'], '', local);
  const names = (JSON.parse(before.stdout) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(['command line', 'command']);
  expect((await run(['tokens.get', 'id=999999', '--local'], '', local)).status).toBe(1);
  const after = JSON.parse((await run(['account.accessTokens'])).stdout) as { name: string }[];
  expect(after.map(({ name }) => name)).toEqual(['command']);

  const elsewhere = join(dataDir, 'elsewhere');
  const missing = await run(['account.get', '--local'], '', { ...local, DATA_DIR: elsewhere });
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('there is no database')]);
  expect(existsSync(elsewhere)).toBe(false);
});

it('ends with the words of the site where it refuses, and prints nothing else', async () => {
  for (const [words, variables] of [
    [['tokens.get', 'id=999999'], env],
    [['groups.list'], { ...env, TOLLGATE_TOKEN: 'wrong' }],
    [['tokens.get'], env],
    [['tokens.list', 'size'], env],
  ] as const) {
    const { status, stdout, stderr } = await run(words, '', variables);
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^The call was not made: \S.+\n$/),
    ]);
  }
});

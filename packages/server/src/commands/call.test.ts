import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { consoleApis, role, selfApi } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { type House, openHouse, operatorCalls, testPassword } from '../testing/harness.ts';

let house: House;
let env: Record<string, string>;

beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
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
afterAll(() => house.close());

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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { receiptKeysPath } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSignedReceipts } from '../boot/money.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { type House, openHouse, operatorCalls } from '../testing/harness.ts';
import { users } from '../store/index.ts';

let house: House;
let url: string;
let lines: string[];
const folder = mkdtempSync(join(tmpdir(), 'tollgate-verify-'));
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
  const { core } = house;
  await core.settings.set('SignedReceipts', 'true');
  const ann = await house.person('ann', { quota: 1_000 });
  const { account_id: accountId } = (await users.find(core.store.db, ann.userId))!;
  const credit = { kind: 'gift' as const, accountId, userId: ann.userId, amount: 500 };
  // Line ends of Unicode in a text are none in a file.
  await core.ledger.credit({ ...credit, txn: 'gift:1\u2028\u2029\u0085' });
  const signed = openSignedReceipts(core);
  await signed.seal(() => true);
  const now = Math.floor(house.time.ms / 1_000);
  let file = '';
  const month = { accountId, month: '2026-11', timeZone: 'UTC', from: now - 40 * 86_400, to: now + 86_400 };
  for await (const part of signed.month(month)) file += part;
  lines = file.trimEnd().split('\n');
  url = await house.app.listen({ port: 0, host: '127.0.0.1' });
  writeFileSync(path('keys'), await (await fetch(url + receiptKeysPath)).text());
  writeFileSync(path('month'), file);
  writeFileSync(path('one'), lines[1]!);
  writeFileSync(path('changed'), file.replace('"amount":500', '"amount":5000'));
  writeFileSync(path('broken'), Buffer.concat([Buffer.from(file), Buffer.from([0xff])]));
  writeFileSync(path('removed'), lines.toSpliced(1, 1).join('\n'));
});
afterAll(async () => {
  await house.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command while the site answers from this process. */
async function run(...words: string[]) {
  const child = spawn(process.execPath, [bundled('verify'), ...words], { env: bundledEnv() });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}

const verify = (name: string, ...words: string[]) => run(path(name), ...words);

it('verifies a month and one receipt, offline and with the keys that the site publishes', async () => {
  expect(await verify('month', '--keys', path('keys'), '--month')).toEqual({
    status: 0,
    stderr: '',
    stdout: [
      `Account ${accountOf(lines[1]!)}, 2026-11 (UTC), receipts 1 to 2`,
      'Opening balance 0, closing balance 1500',
      'Receipts 2, charged 0, other movements 1500 (quota units)',
      'VALID\n',
    ].join('\n'),
  });
  expect(await verify('one', '--site', url)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Separate receipts: .*\nReceipts 1, [^]*\nVALID\n$/) as string,
  });
});

const accountOf = (line: string): number => (JSON.parse(line) as { body: { account: number } }).body.account;

it('says what is wrong, line by line, and exits with 1', async () => {
  const changed = await verify('changed', '--keys', path('keys'));
  expect(changed.status).toBe(1);
  expect(changed.stdout).toMatch(/^Line 3: its signature is wrong[^]*NOT VALID\n$/);
  const removed = await verify('removed', '--keys', path('keys'), '--json');
  expect(removed.status).toBe(1);
  expect(JSON.parse(removed.stdout)).toMatchObject({
    kind: 'month',
    valid: false,
    problems: expect.arrayContaining([
      { line: 0, text: 'the month has 2 receipts, and the file 1' },
    ]) as unknown[],
  });
  expect(await verify('one', '--keys', path('keys'), '--month')).toMatchObject({ status: 1 });
});

it.each([
  ['a missing file', 'missing', ['--keys', 'keys']],
  ['no keys', 'month', []],
  ['keys that are none', 'month', ['--keys', 'month']],
  ['a file that is no UTF-8', 'broken', ['--keys', 'keys']],
])('exits with 2 for %s', async (_what, name, words) => {
  const found = await verify(name, ...words.map((word) => (word.startsWith('-') ? word : path(word))));
  expect(found.status).toBe(2);
  expect(found.stderr).toMatch(/^Tollgate could not verify it: .+\n$/);
});

it('exits with 2 if no file is given, so that a script with an empty name does not pass', async () => {
  expect(await run('--keys', path('keys'), '--month')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'Tollgate could not verify it: no file is given: --help shows how\n',
  });
  expect(await run('--help')).toMatchObject({ status: 0, stderr: '' });
});

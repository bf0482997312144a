import {
  receiptApi,
  type ReceiptData,
  role,
  type RunStatement,
  type StatementData,
  statementApi,
  type TeamData,
  teamApi,
  teamStatementApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSignedReceipts } from '../../boot/money.ts';
import { logOf } from '../../services/money/ledger/testing/test-bed.ts';
import { loadChecker } from '../../services/money/receipts/index.ts';
import { budgets, teams, users } from '../../store/index.ts';
import type { Agent } from '../../testing/agent.ts';
import type { House } from '../../testing/harness.ts';
import { readPdfLines } from '../../testing/pdf-lines.ts';
import { join, openTeam, openTeamHouse } from '../../testing/teams/team-house.ts';

let house: House;
let ann: Agent;
let team: TeamData;

beforeEach(async () => {
  house = await openTeamHouse();
  ann = await house.person('ann', { quota: 1_000 });
  team = await openTeam(ann);
  await ann.must(teamApi.fund, { id: team.id, quota: 300 });
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const codeOf = async (call: Promise<{ body: { code?: string } }>): Promise<string | undefined> =>
  (await call).body.code;

it('people read the statement of their wallet, managers that of their organisation', async () => {
  expect((await ann.must(statementApi.own, {})) as StatementData).toMatchObject({
    holder: 'ann',
    month: '2026-11',
    months: ['2026-11'],
    time_zone: 'UTC',
    opening: 0,
    closing: 700,
    movements: [
      { kind: 'adjust', amount: 1_000, count: 1 },
      { kind: 'team', amount: -300, count: 1 },
    ],
    charged: 0,
    mailed: false,
  });
  expect((await ann.must(teamStatementApi.month, { id: team.id })) as StatementData).toMatchObject({
    holder: 'Team',
    closing: 300,
    movements: [{ kind: 'team', amount: 300 }],
  });
  expect(await codeOf(ann.call(statementApi.own, { month: '2026-10' }))).toBe('statement_month_unknown');
});

it('is streamed as a file of all movements', async () => {
  const { body: text, headers } = await house.app.inject({
    method: 'GET',
    url: '/api/statement?format=csv',
    headers: ann.headers,
  });
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toContain('statement-2026-11.csv');
  expect(text.replace(/^\uFEFF/, '').split('\r\n')).toEqual([
    'time,kind,name,count,amount_usd,quota,note',
    '2026-11-01 00:00,opening_balance,,,0.000000,0,',
    expect.stringMatching(/,adjust,,1,0\.002000,1000,/),
    expect.stringMatching(/,team,,1,-0\.000600,-300,/),
    '2026-12-01 00:00,closing_balance,,,0.001400,700,',
    '',
  ]);
});

it('is written as PDF in the language of the reader', async () => {
  const read = async (language: string) => {
    const { rawPayload, headers } = await house.app.inject({
      method: 'GET',
      url: '/api/statement?format=pdf',
      headers: { ...ann.headers, 'accept-language': language },
    });
    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toContain('statement-2026-11.pdf');
    return readPdfLines(rawPayload)[0];
  };
  expect(await read('en')).toEqual(
    expect.arrayContaining([
      ['Statement 2026-11'],
      ['Account: ann'],
      ['Administrator adjustments', '1', '$0.0020'],
      ['Transfers with organisations', '1', '-$0.0006'],
      ['Balance now', '$0.0014'],
      ['Page 1 of 1'],
    ]),
  );
  expect(await read('zh')).toEqual(
    expect.arrayContaining([['账户：ann'], ['当前余额', '$0.0014'], ['第 1 页，共 1 页']]),
  );
});

it('has its signed receipts as a file, which the published keys verify, also after a new one', async () => {
  const { core, app } = house;
  const read = (path: string, headers: Record<string, string>) =>
    app.inject({ method: 'GET', url: path, headers });
  const month = (who: Agent, path: string) => read(`${path}format=jsonl`, who.headers);
  expect((await month(ann, '/api/statement?')).json()).toMatchObject({ code: 'row_not_found' });
  await core.settings.set('SignedReceipts', 'true');
  const signed = openSignedReceipts(core);
  await signed.seal(() => true);
  const root = await house.person('root', { role: role.root });
  const { kid } = (await root.must(receiptApi.rotate, {})) as { kid: string };
  const { body: keys, headers } = await read('/.well-known/tollgate-receipts.json', {});
  expect(headers['access-control-allow-origin']).toBe('*');
  expect((JSON.parse(keys) as { keys: { kid: string; exp?: number }[] }).keys).toMatchObject([
    { kty: 'OKP', crv: 'Ed25519', exp: house.time.ms / 1_000 },
    { kid, use: 'sig' },
  ]);
  const { readKeys, ReceiptChecker } = await loadChecker();
  const files = [
    await month(ann, '/api/statement?'),
    await month(root, `/api/statement/user/${ann.userId}?`),
    await month(ann, `/api/team/${team.id}/statement/month?`),
  ];
  for (const [place, { body: text, headers: head }] of files.entries()) {
    expect(head['content-disposition']).toContain('tollgate-receipts-2026-11.jsonl');
    const checker = new ReceiptChecker(readKeys(keys));
    for (const line of text.split('\n')) checker.add(line);
    expect(checker.end()).toMatchObject({
      kind: 'month',
      problems: [],
      moved: place === 2 ? 300 : 700,
      head: { kid, opening: 0, closing: place === 2 ? 300 : 700, pending: 0 },
    });
  }
});

it('a member who makes a call gets no signed receipt of it, because it shows the balance of the organisation', async () => {
  const { core } = house;
  await core.settings.set('SignedReceipts', 'true');
  const bob = await house.person('bob');
  await join(ann, team.id, bob);
  const { account_id: accountId } = (await teams.find(core.store.db, team.id))!;
  const call = { requestId: 'of-bob', channelId: 0 };
  const payer = { accountId, userId: bob.userId, tokenId: 0, memberId: 0, tokenUnlimited: true };
  await (
    await core.ledger.reserve({ ...call, ...payer, amount: 9, request: '{}' })
  ).durable;
  const person = { ...payer, unlimited: true, username: 'bob', teamId: team.id };
  const log = logOf(person, call.requestId, 0);
  await core.ledger.settle({ ...call, amount: 7, counts: true, log, hourly: null });
  await openSignedReceipts(core).seal(() => true);
  const read = async (agent: Agent) =>
    (await agent.must(receiptApi.get, { request: 'of-bob' })) as ReceiptData;
  expect((await read(bob)).signed).toEqual([]);
  const admin = await house.person('admin', { role: role.admin });
  for (const reader of [ann, admin]) {
    const { signed } = await read(reader);
    expect(signed.map((line) => JSON.parse(line) as object)).toMatchObject([
      { body: { account: accountId, txn: 'of-bob', amount: -7, balance: 293 } },
    ]);
  }
});

it('administrators read those of people below them', async () => {
  const admin = await house.person('admin', { role: role.admin });
  const peer = await house.person('peer', { role: role.admin });
  expect((await admin.must(statementApi.ofUser, { id: ann.userId })) as StatementData).toMatchObject({
    holder: 'ann',
    closing: 700,
  });
  expect(await codeOf(admin.call(statementApi.ofUser, { id: peer.userId }))).toBe('cannot_read_peer');
  expect(await codeOf(admin.call(statementApi.ofUser, { id: 999 }))).toBe('user_not_found');
});

it('the receipt of a run has the entries that name it, for its owner and administrators above, also as a file', async () => {
  const { db } = house.core.store;
  const now = Math.floor(house.time.ms / 1_000);
  const run = await budgets.create(db, {
    name: 'nightly',
    set_by: 'own',
    token_id: 0,
    user_id: ann.userId,
    team_id: 0,
    group: '',
    model: '',
    period: 'run',
    time_zone: 'UTC',
    mode: 'soft',
    amount: 0,
    enabled: 1,
    window_start: now,
    window_end: now + 600,
    created_time: now,
    run: 'nightly',
    parent: 0,
    max_calls: 10,
  });
  const accountId = (await users.find(db, ann.userId))!.account_id;
  const { ledger } = house.core;
  const reservation = await ledger.reserve({
    requestId: 'in-run',
    accountId,
    userId: ann.userId,
    tokenId: 0,
    memberId: 0,
    budgets: [run],
    channelId: 0,
    tokenUnlimited: true,
    amount: 9,
    request: '{}',
  });
  await reservation.durable;
  await ledger.settle({
    requestId: 'in-run',
    amount: 7,
    channelId: 0,
    counts: true,
    log: null,
    hourly: null,
  });
  const read = (agent: Agent) => agent.must(statementApi.run, { run: 'nightly' }) as Promise<RunStatement>;
  expect(await read(ann)).toMatchObject({
    charged: 7,
    calls: 1,
    entries: [{ kind: 'usage', amount: -7, request_id: 'in-run' }],
    next: null,
  });
  const bob = await house.person('bob');
  expect((await read(bob)).entries).toEqual([]);
  expect(await codeOf(bob.call(statementApi.run, { run: 'nightly', format: 'csv' }))).toBe('row_not_found');
  const asked = { run: 'nightly', username: 'ann' };
  expect(await codeOf(bob.call(statementApi.run, asked))).toBe('row_not_found');
  const admin = await house.person('admin', { role: role.admin });
  expect((await admin.must(statementApi.run, asked)) as RunStatement).toMatchObject({ charged: 7 });
  await users.update(db, ann.userId, { role: role.admin });
  expect(await codeOf(admin.call(statementApi.run, asked))).toBe('cannot_edit_peer');
  const paper = await house.app.inject({
    method: 'GET',
    url: '/api/statement/run?run=nightly&format=pdf',
    headers: { ...ann.headers, 'accept-language': 'en' },
  });
  expect(readPdfLines(paper.rawPayload)[0]).toEqual(
    expect.arrayContaining([['Run nightly'], ['Total', '-$0.000014']]),
  );
  const { body: file, headers } = await house.app.inject({
    method: 'GET',
    url: '/api/statement/run?run=nightly&format=csv',
    headers: ann.headers,
  });
  expect(headers['content-disposition']).toContain(`run-${run}.csv`);
  expect(file.replace(/^\uFEFF/, '').split('\r\n')).toEqual([
    'time,kind,amount_usd,quota,request_id',
    expect.stringMatching(/^2026-11-.*Z,usage,-0\.000014,-7,in-run$/),
    ',sum,-0.000014,-7,',
    '',
  ]);
});

it('the monthly mail needs an address and a mail server, and can always be turned off', async () => {
  const mail = (on: boolean) => ann.call(statementApi.mail, { on });
  expect(await codeOf(mail(true))).toBe('statement_no_address');
  await users.update(house.core.store.db, ann.userId, { email: 'ann@example.com' });
  expect(await codeOf(mail(true))).toBe('smtp_not_configured');
  expect((await mail(false)).body.success).toBe(true);
  expect((await ann.call(teamStatementApi.mail, { id: team.id, on: false })).body.success).toBe(true);
});

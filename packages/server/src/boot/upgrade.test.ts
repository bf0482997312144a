import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { boot } from './boot.ts';
import { readEnv } from './env.ts';
import { checkBooks } from '../services/money/ledger/index.ts';
import { eachDialect } from '../store/each-dialect.ts';
import { accounts, migrate, type Store } from '../store/index.ts';
import {
  annsKey,
  annsPassword,
  everyRow,
  makeReleased,
  releasedSchemas,
  type Row,
  secretKey,
} from '../testing/released/index.ts';

/** Columns that a migration changes on purpose. The check of the books and `expectMoved` cover the results. */
const changed: Readonly<Record<string, readonly string[]>> = {
  users: ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id', 'used_quota'],
  alarms: ['mail_told', 'mail_tries', 'mail_due', 'post_told', 'post_tries', 'post_due'],
};

/** The first schema, and the last one before the correction of team and task data. */
const turningPoints = [releasedSchemas[0]!, '0018-usage-reports'];
/** The last schemas before budgets, and before balances became sums of grants. */
const beforeMoney = ['0037-budgets', '0054-grants'].map(
  (name) => releasedSchemas[releasedSchemas.indexOf(name) - 1]!,
);

eachDialect('a database of a released version', ({ kind, openBlank, url }) => {
  const others = releasedSchemas.filter((schema) =>
    kind === 'sqlite' ? !turningPoints.includes(schema) : beforeMoney.includes(schema),
  );
  const parts = [
    { tags: [], schemas: turningPoints },
    // Schema changes take long on database servers, so that only those of money are repeated there.
    { tags: ['deep'], schemas: others },
  ];
  for (const { tags, schemas } of parts)
    it.each(schemas)('keeps its rows from %s on', { tags }, async (schema) => {
      const store = await openBlank();
      await makeReleased(store, schema);
      const before = await everyRow(store);
      await migrate(store);
      const after = await everyRow(store);
      // A migration marks the hours that need new sums.
      before.delete('log_hour_marks');
      const objects = after.get('vendor_objects')!;
      const places = (rows: Row[] = []): object[] =>
        rows.map(({ name, channel_id, key_id = '' }) => ({ name, channel_id, key_id }));
      expect(places(objects.filter(({ kind }) => kind === 'response'))).toEqual(
        places(before.get('stored_responses')),
      );
      before.delete('stored_responses');
      after.set(
        'vendor_objects',
        objects.filter(({ kind }) => kind !== 'response'),
      );
      for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows.map(kept(table)));
      await expectGranted(store);
      await expectMoved(store);
      expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
      if ([...turningPoints, ...beforeMoney].includes(schema)) await expectServed(store, url());
    });
});

/** Checks that the rests of each wallet's grants are its balance to the unit, which the migrations keep. */
async function expectGranted({ db }: Store): Promise<void> {
  const wallets = await db.selectFrom('accounts').select(['id', 'balance']).orderBy('id').execute();
  const rests = await db.selectFrom('grants').select(['account_id', 'remain']).execute();
  const left = (id: number) =>
    rests.filter((row) => row.account_id === id).reduce((sum, { remain }) => sum + remain, 0);
  expect(wallets.map(({ id }) => [id, left(id)])).toEqual(wallets.map(({ id, balance }) => [id, balance]));
}

/** Checks that the old key and password work and that a call takes its cost from the balance. */
async function expectServed({ db }: Store, databaseUrl: string): Promise<void> {
  const { balance } = (await accounts.find(db, 2))!;
  const address = await start(databaseUrl);
  const answer = await post(`${address}/v1/chat/completions`, {
    model: 'sandbox',
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(answer.status).toBe(200);
  const cost = Number(answer.headers.get('x-tollgate-cost'));
  expect(cost).toBeGreaterThan(0);
  const login = await post(`${address}/api/user/login`, { username: 'ann', password: annsPassword });
  expect(await login.json()).toMatchObject({ success: true, data: { id: 2 } });
  await expect.poll(async () => (await accounts.find(db, 2))!.balance).toBe(balance - cost);
  expect(await checkBooks(db)).toEqual([]);
}

/** Expected row after the migrations; new columns are allowed. */
const kept = (table: string) => (row: Row) =>
  expect.objectContaining(
    Object.fromEntries(Object.entries(row).filter(([column]) => !changed[table]?.includes(column))),
  );

/** Checks that the migrated data is in its new place. */
async function expectMoved({ db }: Store): Promise<void> {
  const known = await db.selectFrom('identities').select(['provider', 'subject', 'user_id']).execute();
  expect(known.map((row) => `${row.provider} ${row.subject} ${row.user_id}`).toSorted()).toEqual([
    'github 42 2',
    'github 43 3',
    'oidc sub-1 2',
  ]);
  const charges = await db
    .selectFrom('logs')
    .select(['request_id', 'refunded'])
    .where('type', '=', 2)
    .execute();
  for (const row of charges) expect(row.refunded).toBe(row.request_id === 'call-3' ? 25 : 0);
  const alarm = await db.selectFrom('alarms').select('since').executeTakeFirst();
  const deliveries = await db.selectFrom('alarm_deliveries').selectAll().orderBy('way').execute();
  const about = { cause: 'channel_off', subject: '1' };
  expect(deliveries).toEqual(
    alarm
      ? [
          { ...about, way: 'mail', told: 1, tries: 0, due: 0 },
          { ...about, way: 'post', told: 0, tries: 2, due: alarm.since },
        ]
      : [],
  );
  // The hourly sums have no user and model sums yet, so every hour is marked for a new sum.
  const hours = await db.selectFrom('log_hours').select('hour').where('gone', '=', 0).execute();
  const marks = await db.selectFrom('log_hour_marks').select('hour').execute();
  expect(marks).toEqual(expect.arrayContaining(hours));
}

/** Starts the product on a database; returns its address. */
async function start(databaseUrl: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-upgrade-'));
  const tollgate = await boot(
    readEnv({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'silent',
    }),
  );
  onTestFinished(async () => {
    await tollgate.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${tollgate.port}`;
}

const post = (address: string, body: object): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${annsKey}` },
    body: JSON.stringify(body),
  });

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { freshServer, missingServer } from '../../store/each-dialect.ts';
import { accounts, type Db, logs, migrate, openStore, tokens, users } from '../../store/index.ts';
import {
  imported,
  look,
  MovingDesk,
  oldSums,
  runCommand,
  sumsOf,
} from '../../testing/moving-in/importing.ts';
import { buildOldSite, newApiSite, oldKeys, oneApiSite } from '../../testing/moving-in/old-site.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const pairs = [
  ['new-api', 'sqlite', 'sqlite'],
  ['new-api', 'postgres', 'sqlite'],
  ['new-api', 'mysql', 'postgres'],
  ['one-api', 'postgres', 'sqlite'],
  ['one-api', 'sqlite', 'mysql'],
] as const;
const isMissing = (kind: 'sqlite' | 'postgres' | 'mysql') =>
  kind !== 'sqlite' && missingServer(kind) !== undefined;
const upstream = 'http://127.0.0.1:9';
const logged = async (db: Db) => (await logs.list(db, {}, { offset: 0, limit: 10 })).rows;

describe.for(pairs)('%s on %s into Tollgate on %s', ([program, from, into]) => {
  it.skipIf(isMissing(from) || isMissing(into))(
    'brings every unit once, and the books agree',
    { timeout: 120_000, tags: from === 'mysql' || into === 'mysql' ? ['deep'] : [] },
    async () => {
      const dataDir = desk.place();
      const file = `${desk.place('source')}.db`;
      const source = from === 'sqlite' ? `sqlite:${file}` : await freshServer(from);
      const url = into === 'sqlite' ? '' : await freshServer(into);
      await buildOldSite(from, source, program, (program === 'new-api' ? newApiSite : oneApiSite)(upstream));
      const bytesOf = () => (from === 'sqlite' ? readFileSync(file).toString('latin1') : '');
      const before = bytesOf();
      const order = { from: source, logDays: 90 };

      const report = await imported(dataDir, order, url);
      expect(report.source).toMatchObject({ program, database: from });
      expect(sumsOf(report)).toEqual(oldSums[program]);
      expect(report.negative).toEqual([{ id: 3, username: 'bob', quota: -777 }]);
      expect(report.keysCompared).toBeGreaterThan(1);
      await look(dataDir, (db) => everybodyIsThere(db, program === 'new-api' ? 4 : 2), url);

      expect(await imported(dataDir, order, url)).toMatchObject({ repeated: true, sums: [] });
      await look(dataDir, async (db) => expect(await logged(db)).toHaveLength(2), url);
      expect(bytesOf() === before).toBe(true);
    },
  );
});

async function everybodyIsThere(db: Db, lastToken: number): Promise<void> {
  expect(await checkBooks(db, { atRest: true })).toEqual([]);
  const alice = (await users.findByLogin(db, 'alice'))!;
  expect(alice).toMatchObject({
    id: 2,
    used_quota: 1_234,
    former_requests: 17,
    display_name: 'alice of old',
  });
  expect((await accounts.find(db, alice.account_id))?.balance).toBe(7_234_567);
  expect(await users.findByAccessToken(db, sha256('0123456789abcdef0123456789abcdef'))).toEqual(alice);
  const key = (await tokens.findByHash(db, sha256(oldKeys.limited)))!;
  const limits = { remain_quota: 400_000, used_quota: 1_000, model_limits_enabled: 1 };
  // One-api has no groups of keys.
  const groups = lastToken > 2 ? { group: 'vip', cross_group_retry: 1 } : { group: '' };
  expect(key).toMatchObject({ user_id: 2, ...limits, ...groups });
  expect(key.allow_ips.split('\n')).toHaveLength(2);
  expect(await logged(db)).toHaveLength(2);

  // New rows get numbers after those of the imported rows.
  const newcomer = {
    user_id: 2,
    key_hash: 'x',
    key_sealed: '',
    key_hint: '',
    name: '',
    group: '',
    team_id: 0,
  };
  const unlimited = { status: 1, created_time: 0, expired_time: -1, unlimited_quota: 0, allow_ips: '' };
  const row = { ...newcomer, ...unlimited, model_limits_enabled: 0, model_limits: '' };
  expect(await tokens.create(db, row)).toBeGreaterThan(lastToken);
}

describe('an import', () => {
  it(
    'that is killed before its end leaves nothing, and made again brings all',
    { timeout: 120_000 },
    async () => {
      const dataDir = desk.place();
      const from = await desk.oldFile('new-api');
      expect(
        (await runCommand(dataDir, [`--from=${from}`], { FAULTS: 'import-written:kill' })).code,
      ).not.toBe(0);
      await look(dataDir, async (db) => {
        for (const table of [
          'users',
          'accounts',
          'tokens',
          'channels',
          'ledger',
          'options',
          'setups',
        ] as const)
          expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
      });
      expect(sumsOf(await imported(dataDir, { from }))).toEqual(oldSums['new-api']);
    },
  );

  it('whose log is broken off goes on with it, and writes no row twice', { timeout: 120_000 }, async () => {
    const dataDir = desk.place();
    const from = await desk.oldFile('new-api');
    const args = [`--from=${from}`, '--logs=90d'];
    expect((await runCommand(dataDir, args, { FAULTS: 'import-log-written:kill' })).code).not.toBe(0);
    const report = await imported(dataDir, { from, logDays: 90 });
    expect(report.counts).toMatchObject([{ what: 'rows of the log (90 days)', written: 2 }]);
    await look(dataDir, async (db) => {
      expect((await logged(db)).map(({ quota }) => quota)).toEqual(expect.arrayContaining([101, 102]));
      expect(await checkBooks(db)).toEqual([]);
    });
  });

  it('that is a dry run writes nothing at all', async () => {
    const dataDir = desk.place();
    const report = await imported(dataDir, { from: await desk.oldFile('new-api'), dryRun: true });
    expect(sumsOf(report)).toEqual(oldSums['new-api']);
    expect(() => readdirSync(dataDir)).toThrow('ENOENT');
  });

  it('gives root of the set-up what root of the source had', async () => {
    const dataDir = desk.place();
    const store = await openStore({ url: '', dataDir });
    await migrate(store);
    const accountId = await accounts.create(store.db);
    await users.create(store.db, { account_id: accountId, username: 'me', role: 100, created_time: 1 });
    await store.close();
    const report = await imported(dataDir, { from: await desk.oldFile('new-api') });
    expect(sumsOf(report)).toEqual(oldSums['new-api']);
    await look(dataDir, async (db) => {
      expect(await users.find(db, 1)).toMatchObject({ username: 'me', role: 100, account_id: accountId });
      expect((await accounts.find(db, accountId))?.balance).toBe(5);
    });
  });
});

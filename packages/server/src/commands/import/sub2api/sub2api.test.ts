import { afterAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { markOfKey } from '../../../services/people/tokens/index.ts';
import { freshServer, missingServer } from '../../../store/each-dialect.ts';
import {
  accounts,
  budgets,
  channels,
  type Db,
  type ForeignRow,
  options,
  tokens,
  users,
} from '../../../store/index.ts';
import { imported, look, MovingDesk, sumsOf } from '../../../testing/moving-in/importing.ts';
import {
  buildSub2apiSite,
  sub2apiKeys,
  sub2apiSums,
  totpKey,
} from '../../../testing/moving-in/sub2api-site.ts';
import { viewOf } from '../kit/translated.ts';
import { readSub2api } from './read.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const terms = { variables: { TOTP_ENCRYPTION_KEY: totpKey }, credit: undefined };
const isMissing = (kind: 'sqlite' | 'postgres' | 'mysql') =>
  kind !== 'sqlite' && missingServer(kind) !== undefined;

describe.skipIf(isMissing('postgres'))('the database of sub2api', () => {
  describe.for(['sqlite', 'postgres', 'mysql'] as const)('into Tollgate on %s', (into) => {
    it.skipIf(isMissing(into))(
      'brings every unit once',
      { timeout: 120_000, tags: into === 'mysql' ? ['deep'] : [] },
      async () => {
        const from = await freshServer('postgres');
        await buildSub2apiSite(from);
        const dataDir = desk.place();
        const url = into === 'sqlite' ? '' : await freshServer(into);
        const order = { from, terms, isLive: true };
        const report = await imported(dataDir, order, url);
        expect(report.source).toMatchObject({ program: 'sub2api', database: 'postgres' });
        expect(sumsOf(report)).toEqual(sub2apiSums);
        expect(report.negative).toMatchObject([{ id: 3, quota: -125_000 }]);
        expect(report.channelsOff).toMatchObject([
          { id: 2, reason: expect.stringContaining('accounts of the kind oauth') },
        ]);
        const notes = report.notes.join('\n');
        expect(notes).toContain('Keys that block addresses, which are off: 1');
        expect(notes).toContain('Codes for other things than balance, which stay behind: 1');
        await look(dataDir, everythingIsThere, url);
        expect(await imported(dataDir, order, url)).toMatchObject({ repeated: true, sums: [] });
      },
    );
  });

  it('is refused without the key of second factors, and with a subscription without a limit', async () => {
    const from = await freshServer('postgres');
    await buildSub2apiSite(from, [
      `insert into user_subscriptions (user_id, group_id, starts_at, expires_at) values (1, 2, now(), now() + interval '1 day')`,
    ]);
    const order = { from, isLive: true, dryRun: true };
    await expect(imported(desk.place(), order)).rejects.toThrow('set TOTP_ENCRYPTION_KEY');
    await expect(imported(desk.place(), { ...order, terms })).rejects.toThrow(
      'has no limit and cannot become credit',
    );
  });
});

it('reads each row as often in a large database as in a small one', async () => {
  const readsOf = async (people: number): Promise<number> => {
    let reads = 0;
    const counted = (row: ForeignRow): ForeignRow =>
      new Proxy(row, { get: (target, column) => ((reads += 1), target[String(column)]) });
    const rows = (more: object) =>
      Array.from({ length: people }, (_, index) => counted({ id: index + 1, user_id: index + 1, ...more }));
    const view = viewOf('postgres', {
      users: rows({ email: 'me@example.com', status: 'active' }),
      api_keys: rows({ key: 'sk-some-key', status: 'active' }),
      auth_identities: rows({ provider_type: 'linuxdo', provider_subject: '7' }),
      user_allowed_groups: rows({ group_id: 1 }),
      accounts: rows({ type: 'apikey', platform: 'openai', credentials: '{}', status: 'active' }),
      account_groups: rows({ account_id: 1, group_id: 1 }),
      groups: [{ id: 1, name: 'all', status: 'active' }],
    });
    await readSub2api(view, { variables: {}, now: 1_000 });
    return reads;
  };
  expect(await readsOf(200)).toBe(2 * (await readsOf(100)));
});

async function everythingIsThere(db: Db): Promise<void> {
  expect(await checkBooks(db, { atRest: true })).toEqual([]);
  expect(await users.find(db, 1)).toMatchObject({ username: 'boss', role: 100, email: 'boss@example.com' });
  const alice = (await users.find(db, 2))!;
  expect(alice).toMatchObject({
    username: 'alice',
    display_name: 'Alice in Wonderland of Old',
    group: 'friends',
    role: 1,
  });
  expect(alice.password).toMatch(/^\$2a\$/);
  expect(await users.find(db, 3)).toMatchObject({ username: 'bob', role: 10, status: 2 });
  expect(await users.find(db, 4)).toBe(undefined);
  const wallet = (await accounts.find(db, alice.account_id))!;
  expect(wallet.next_expiry).toBeGreaterThan(Date.now() / 1_000 + 9 * 86_400);
  expect(await db.selectFrom('authenticators').selectAll().execute()).toMatchObject([{ user_id: 2 }]);
  expect(await db.selectFrom('identities').selectAll().execute()).toMatchObject([
    { provider: 'linuxdo', subject: '4711', user_id: 2 },
  ]);

  const laptop = (await tokens.findByHash(db, markOfKey(sub2apiKeys.alice).hash))!;
  expect(laptop).toMatchObject({
    user_id: 2,
    group: 'friends',
    unlimited_quota: 0,
    remain_quota: 3_750_000,
    used_quota: 1_250_000,
    allow_ips: '127.0.0.1\n10.0.0.0/8',
  });
  expect(await tokens.findByHash(db, markOfKey(sub2apiKeys.custom).hash)).toMatchObject({
    group: 'claude',
    status: 1,
    unlimited_quota: 1,
  });
  expect(await tokens.findByHash(db, markOfKey('sk-blocking-key').hash)).toMatchObject({ status: 2 });
  expect(await tokens.findByHash(db, markOfKey('sk-deleted-key').hash)).toBe(undefined);

  const limits = async (filter: Parameters<typeof budgets.list>[1]) =>
    (await budgets.list(db, filter, { limit: 10 })).map(
      ({ period, group, unit, amount, used, max_calls }) => [period, group, unit, amount, used, max_calls],
    );
  expect(await limits({ token_id: laptop.id })).toEqual([['day', '', 'quota', 2_000_000, 500_000, 0]]);
  expect(await limits({ user_id: 2 })).toEqual([
    ['minute', '', 'tokens', 1_000_000_000_000, 0, 20],
    ['day', 'claude', 'quota', 1_000_000, 250_000, 0],
    ['month', 'claude', 'quota', 10_000_000, 0, 0],
  ]);

  const all = await channels.all(db);
  expect(all).toMatchObject([
    {
      type: 14,
      base_url: 'https://relay.example',
      models: 'claude-sonnet-4-5',
      group: 'claude,friends',
      priority: -50,
      status: 1,
      key_hash: sha256('sk-vendor-a'),
    },
    { type: 0, status: 2 },
    { type: 1, group: 'gpt', status: 1 },
  ]);
  expect(all[0]!.model_mapping).toBe('{"claude-sonnet-4-5":"claude-sonnet-4-5-20250929"}');
  expect(all[2]!.models.split(',').length).toBeGreaterThan(5);
  const table = async (key: string) =>
    JSON.parse((await options.find(db, key))?.value ?? '{}') as Record<string, unknown>;
  expect(await table('GroupRatio')).toEqual({ default: 1, claude: 1.5, gpt: 1, friends: 0.5 });
  expect(await table('UserUsableGroups')).toEqual({ default: 'default', claude: 'claude', gpt: 'gpt' });
  expect(await table('ModelRequestRateLimitGroup')).toEqual({ gpt: [90, 90] });
}

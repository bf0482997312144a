import { afterAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { markOfKey } from '../../../services/people/tokens/index.ts';
import { freshServer, missingServer } from '../../../store/each-dialect.ts';
import { writeForeign } from '../../../store/foreign/write-foreign.ts';
import { channels, type Db, logs, options, tokens, users } from '../../../store/index.ts';
import { buildHubSite, hubKeys, hubSums } from '../../../testing/moving-in/hub-site.ts';
import { imported, look, MovingDesk, sumsOf } from '../../../testing/moving-in/importing.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const pairs = [
  ['one-hub', 'sqlite', 'sqlite'],
  ['one-hub', 'postgres', 'sqlite'],
  ['one-hub', 'mysql', 'postgres'],
  ['done-hub', 'sqlite', 'postgres'],
  ['done-hub', 'postgres', 'mysql'],
] as const;
const isMissing = (kind: 'sqlite' | 'postgres' | 'mysql') =>
  kind !== 'sqlite' && missingServer(kind) !== undefined;

describe.for(pairs)('%s on %s into Tollgate on %s', ([program, from, into]) => {
  it.skipIf(isMissing(from) || isMissing(into))(
    'brings every unit once, with the keys, prices, groups and channels',
    { timeout: 120_000, tags: from === 'mysql' || into === 'mysql' ? ['deep'] : [] },
    async () => {
      const dataDir = desk.place();
      const source = from === 'sqlite' ? `sqlite:${desk.place('hub')}.db` : await freshServer(from);
      const url = into === 'sqlite' ? '' : await freshServer(into);
      await buildHubSite(from, source, program);
      const order = { from: source, logDays: 90 };
      const report = await imported(dataDir, order, url);
      expect(report.source).toMatchObject({ program, database: from });
      expect(sumsOf(report)).toEqual(hubSums);
      expect(report.negative).toEqual([{ id: 3, username: 'bob', quota: -40 }]);
      expect(report.keysCompared).toBe(2);
      const off = [7, 8, 9, ...(program === 'done-hub' ? [12] : [])];
      expect(report.channelsOff.map(({ id }) => id)).toEqual(off);
      expect(report.channelsOff.map(({ reason }) => reason).join('; ')).toMatch(/some charge.*plugin/);
      expect(report.pricesDiffer).toEqual([]);
      expect(report.standIns.join()).toBe('@cf/llama,ideogram,kept');
      const notes = report.notes.join('\n');
      expect(notes).toContain(
        'whose input is free and whose output is not, which are free here: set their prices: free-start',
      );
      expect(notes).toContain('Keys with a second group for failures, which use their first one only: 1');
      expect(notes).toContain('Rows of orders that stay behind: 1');
      expect(notes.includes('another price for long inputs')).toBe(program === 'done-hub');
      await look(dataDir, everythingIsThere, url);
      expect(await imported(dataDir, order, url)).toMatchObject({ repeated: true, sums: [] });
    },
  );
});

async function everythingIsThere(db: Db): Promise<void> {
  expect(await checkBooks(db, { atRest: true })).toEqual([]);
  expect(await users.find(db, 2)).toMatchObject({ username: 'alice', used_quota: 700, former_requests: 3 });
  expect(await users.find(db, 3)).toMatchObject({ role: 1, group: 'vip' });
  expect((await users.view(db, 4))?.deleted_at).not.toBe(null);
  const known = await db.selectFrom('identities').selectAll().where('user_id', '=', 2).execute();
  expect(known.map(({ provider, subject }) => [provider, subject])).toEqual(
    expect.arrayContaining([
      ['github', '4711'],
      ['telegram', '99'],
    ]),
  );
  expect(await tokens.findByHash(db, markOfKey(`sk-${hubKeys.signed}`).hash)).toMatchObject({
    user_id: 2,
    remain_quota: 500,
    used_quota: 200,
    group: 'vip',
    model_limits_enabled: 1,
    model_limits: 'gpt-4o,o3',
    allow_ips: '127.0.0.1\n10.0.0.0/8',
    status: 1,
  });
  expect(await tokens.findByHash(db, sha256(hubKeys.old))).toMatchObject({
    unlimited_quota: 1,
    used_quota: 100,
  });

  const all = await channels.all(db);
  expect(all.slice(0, 10).map(({ type, status }) => [type, status])).toEqual([
    [1, 1],
    [14, 1],
    [33, 1],
    [24, 1],
    [1, 1],
    [1, 1],
    [1, 2],
    [0, 2],
    [1, 2],
    [39, 1],
  ]);
  expect(all[1]).toMatchObject({ header_override: '{"x-tenant":"7"}' });
  expect(JSON.parse(all[1]!.setting)).toEqual({ proxy: 'http://10.0.0.1:3128' });
  expect(all[2]).toMatchObject({ key_hash: sha256('AKID|SECRET|us-east-1') });
  expect(JSON.parse(all[4]!.setting)).toEqual({ price_after_mapping: true });
  expect(all[5]).toMatchObject({ model_mapping: '{"kept":"gpt-4o"}' });
  expect(all[9]).toMatchObject({ other: 'account', key_hash: sha256('token') });
  expect(all.some(({ id }) => id === 11)).toBe(false);

  const table = async (key: string) =>
    JSON.parse((await options.find(db, key))?.value ?? '{}') as Record<string, unknown>;
  expect(await table('ModelRatio')).toMatchObject({
    'gpt-4o': 1.25,
    'gpt-4o-mini': 0.075,
    o3: 1,
    'claude-sonnet-4': 1.5,
    'free-start': 0,
    '@cf/llama': 30,
  });
  expect(await table('CompletionRatio')).toMatchObject({
    'gpt-4o': 4,
    o3: 4,
    'claude-sonnet-4': 5,
  });
  expect(await table('CacheRatio')).toMatchObject({ 'gpt-4o': 0.5, 'claude-sonnet-4': 0.1 });
  expect(await table('AudioRatio')).toMatchObject({ 'gpt-4o': 16 });
  // Eight times the price of the output, which is four times that of the input.
  expect(await table('AudioCompletionRatio')).toMatchObject({ 'gpt-4o': 2 });
  expect(await table('ModelPrice')).toMatchObject({ 'image-maker': 0.04 });
  expect(await table('GroupRatio')).toEqual({ default: 1, vip: 0.5 });
  expect(await table('UserUsableGroups')).toEqual({ default: 'Everybody' });
  expect(await table('ModelRequestRateLimitGroup')).toEqual({ default: [600, 600] });
  const { rows } = await logs.list(db, {}, { offset: 0, limit: 10 });
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ use_time: 3, quota: 101 });
}

it('refuses the prices of a fork', async () => {
  const from = `sqlite:${desk.place('fork')}.db`;
  await buildHubSite('sqlite', from, 'one-hub');
  await writeForeign(from, ['alter table prices add column rate_rules text']);
  await expect(imported(desk.place(), { from })).rejects.toThrow('prices of another meaning');
});

import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { boot } from '../../../boot/boot.ts';
import { readEnv } from '../../../boot/env.ts';
import { sha256 } from '../../../lib/hash.ts';
import { markOfKey } from '../../../services/people/tokens/index.ts';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { freshServer, missingServer } from '../../../store/each-dialect.ts';
import {
  budgets,
  channels,
  type Db,
  options,
  setups,
  teamMembers,
  teams,
  tokens,
  users,
} from '../../../store/index.ts';
import {
  imported,
  look,
  MovingDesk,
  runCommand,
  secretKey,
  sumsOf,
} from '../../../testing/moving-in/importing.ts';
import {
  buildLitellmSite,
  litellmKeys,
  litellmSecrets,
  litellmSums,
  saltKey,
  sealLitellm,
} from '../../../testing/moving-in/litellm-site.ts';
import { startFakeUpstream } from '../../../testing/upstream/fake-upstream.ts';
import { decryptValue } from './decrypt.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const terms = { variables: { LITELLM_SALT_KEY: saltKey }, credit: 1_000 };
const isMissing = (kind: 'sqlite' | 'postgres' | 'mysql') =>
  kind !== 'sqlite' && missingServer(kind) !== undefined;

describe.skipIf(isMissing('postgres'))('the database of LiteLLM', () => {
  describe.for(['sqlite', 'postgres', 'mysql'] as const)('into Tollgate on %s', (into) => {
    it.skipIf(isMissing(into))(
      'brings people, organisations, keys, budgets and models, once',
      { timeout: 120_000, tags: into === 'mysql' ? ['deep'] : [] },
      async () => {
        const from = await freshServer('postgres');
        await buildLitellmSite(from);
        const dataDir = desk.place();
        const url = into === 'sqlite' ? '' : await freshServer(into);
        const order = { from, terms, isLive: true };
        const report = await imported(dataDir, order, url);
        expect(report.source).toMatchObject({ program: 'litellm', database: 'postgres' });
        expect(sumsOf(report)).toEqual(litellmSums);
        expect(report.sums.every(({ source, target }) => source === target)).toBe(true);
        expect(report.keysCompared).toBe(5);
        await look(dataDir, everythingIsThere, url);
        expect(await imported(dataDir, order, url)).toMatchObject({ repeated: true, sums: [] });
      },
    );
  });

  it('is shown by a rehearsal, whose report has no secret', { timeout: 120_000 }, async () => {
    const from = await freshServer('postgres');
    await buildLitellmSite(from);
    const env = { LITELLM_SALT_KEY: saltKey };
    const args = [`--from=${from}`, '--credit=1000', '--live', '--dry-run'];
    const { code, out, err } = await runCommand(desk.place(), args, env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const words of [
      'Source: litellm, on postgres',
      'A dry run: nothing was written.',
      'keys: 5 read, 5 written',
      'organisations: 2 read, 2 written',
      'each of 4 people and 2 organisations starts with 1000 dollars',
      'Keys of its own console that stay behind: 1',
      'Keys for other calls than those of models, which are off: 1',
      'Left out or changed: budgets for 90d, which are filled once here: give them another period: 1',
      'Rows of LiteLLM_EndUserTable that stay behind',
      'Organisations above the teams that stay behind with their budgets: a team is an organisation here: 1',
      '(groq) is off until you enter its key: LiteLLM read it from GROQ_KEY',
      'The source has no root',
    ])
      expect(out).toContain(words);
    for (const secret of litellmSecrets) expect(out).not.toContain(secret);
  });

  it('may have a key that it keeps whole', { timeout: 60_000 }, async () => {
    const from = await freshServer('postgres');
    const whole = 'sk-Kept-whole_0123456789';
    await buildLitellmSite(from, undefined, [
      `insert into "LiteLLM_VerificationToken" (token, user_id, models) values ('${whole}', 'alice@example.com', '{}')`,
    ]);
    const dataDir = desk.place();
    await imported(dataDir, { from, terms, isLive: true });
    await look(dataDir, async (db) => {
      const key = await tokens.findByHash(db, markOfKey(whole).hash);
      expect(key).toMatchObject({ status: 1, key_hint: 'Kept…6789' });
      expect(key?.key_sealed).not.toBe('');
    });
  });

  it.for([
    [{ ...terms, credit: undefined }, 'say by --credit'],
    [{ ...terms, variables: {} }, 'set LITELLM_SALT_KEY'],
    [{ ...terms, variables: { LITELLM_MASTER_KEY: 'sk-other' } }, 'the credential ours cannot be decrypted'],
  ] as const)('is refused without what it needs: %$', async ([given, words]) => {
    const from = await freshServer('postgres');
    await buildLitellmSite(from);
    await expect(imported(desk.place(), { from, terms: given, isLive: true })).rejects.toThrow(words);
    const log = { from, terms, isLive: true, logDays: 9 };
    await expect(imported(desk.place(), log)).rejects.toThrow('the log of litellm is not taken over');
  });
});

async function everythingIsThere(db: Db): Promise<void> {
  expect(await checkBooks(db, { atRest: true })).toEqual([]);
  const people = await db.selectFrom('users').selectAll().orderBy('id').execute();
  expect(people).toMatchObject([
    { username: 'default_user_id', role: 10, password: '' },
    { username: 'alice', display_name: 'Alice', role: 1, email: 'alice@example.com', used_quota: 6_172_839 },
    { username: 'alice-2', email: 'alice@other.example', used_quota: 500_000 },
    { username: 'litellm', used_quota: 0 },
  ]);
  const [, alice, other, keeper] = people;
  // Root is created by the set-up.
  expect(await setups.find(db)).toBe(undefined);
  expect(await users.hasRole(db, 100)).toBe(false);

  const found = await db.selectFrom('teams').selectAll().orderBy('id').execute();
  expect(found).toMatchObject([
    { name: 'Research', owner_id: alice!.id, status: 1 },
    { name: 't2', owner_id: keeper!.id, status: 2 },
  ]);
  const research = (await teams.find(db, found[0]!.id))!;
  expect(await teamMembers.list(db, research.id)).toMatchObject([
    { user_id: alice!.id, role: 3 },
    { user_id: other!.id, role: 1 },
  ]);

  const keyOf = (key: string) => tokens.findByHash(db, markOfKey(`Bearer ${key}`).hash);
  expect(await keyOf(litellmKeys.alice)).toMatchObject({
    user_id: alice!.id,
    name: 'laptop',
    key_sealed: '',
    key_hint: '…KjIh',
    status: 1,
    unlimited_quota: 0,
    remain_quota: 3_999_999,
    used_quota: 1_000_001,
    model_limits_enabled: 1,
    model_limits: 'gpt-4o,claude-sonnet',
    team_id: 0,
  });
  const team = (await keyOf(litellmKeys.team))!;
  expect(team).toMatchObject({
    user_id: other!.id,
    team_id: research.id,
    model_limits: 'claude-sonnet',
    unlimited_quota: 1,
  });
  expect(team.expired_time).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
  const service = (await keyOf(litellmKeys.nobody))!;
  expect(service).toMatchObject({ user_id: keeper!.id, status: 1, model_limits_enabled: 0 });
  expect(await keyOf(litellmKeys.blocked)).toMatchObject({ status: 2 });
  expect(await keyOf(litellmKeys.routes)).toMatchObject({ status: 2 });
  expect(await keyOf(litellmKeys.console)).toBe(undefined);
  // An unknown text of the same form is no key.
  expect(await tokens.findByHash(db, sha256(litellmKeys.alice.slice(3)))).toBe(undefined);

  const limits = async (filter: Parameters<typeof budgets.list>[1]) =>
    (await budgets.list(db, filter, { limit: 10 })).map(
      ({ period, unit, mode, amount, used, max_calls, model }) => [
        period,
        unit,
        mode,
        amount,
        used,
        max_calls,
        model,
      ],
    );
  expect(await limits({ user_id: alice!.id, team_id: 0 })).toEqual([
    ['month', 'quota', 'hard', 50_000_000, 6_172_839, 0, ''],
    ['month', 'quota', 'soft', 40_000_000, 6_172_839, 0, ''],
  ]);
  expect(await limits({ user_id: other!.id })).toEqual([['day', 'quota', 'hard', 2_500_000, 0, 0, '']]);
  expect(await limits({ user_id: alice!.id, team_id: research.id })).toEqual([
    ['day', 'quota', 'hard', 1_500_000, 250_000, 0, ''],
  ]);
  expect(await limits({ user_id: 0, team_id: research.id })).toEqual([
    ['term', 'quota', 'hard', 25_000_000, 3_750_000, 0, ''],
    ['minute', 'tokens', 'hard', 90_000, 0, 30, ''],
  ]);
  expect(await limits({ token_id: team.id })).toEqual([
    ['week', 'quota', 'hard', 10_000_000, 2_000_000, 0, ''],
    ['day', 'quota', 'hard', 1_000_000, 0, 0, 'gpt-4o'],
  ]);
  expect(await limits({ token_id: service.id })).toEqual([
    ['term', 'quota', 'hard', 4_500_000, 750_000, 0, ''],
    ['minute', 'tokens', 'hard', 1_000_000_000_000, 0, 2, ''],
  ]);

  expect(await channels.all(db)).toMatchObject([
    {
      name: 'openai',
      type: 1,
      base_url: 'http://127.0.0.1:9',
      models: 'gpt-4o',
      status: 1,
      key_hash: sha256('sk-vendor-openai'),
    },
    {
      name: 'anthropic',
      type: 14,
      models: 'claude-sonnet',
      status: 1,
      key_hash: sha256('sk-vendor-anthropic'),
    },
    { name: 'groq', models: 'from-env', status: 2 },
  ]);
  const value = async (key: string) => (await options.find(db, key))?.value ?? '';
  const ratios = JSON.parse(await value('ModelRatio')) as Record<string, number>;
  expect(ratios['gpt-4o']).toBe(2);
  // Tollgate's own prices stay.
  expect(Object.keys(ratios).length).toBeGreaterThan(20);
  expect(JSON.parse(await value('CompletionRatio'))).toMatchObject({ 'gpt-4o': 2.5 });
  expect(await value('RetryTimes')).toBe('3');
}

describe.skipIf(isMissing('postgres'))('a site that moved in from LiteLLM', () => {
  it('takes the old keys, and keeps their limits', { timeout: 120_000 }, async () => {
    const upstream = await startFakeUpstream();
    const from = await freshServer('postgres');
    await buildLitellmSite(from, upstream.url);
    const env = { DATA_DIR: desk.place(), SECRET_KEY: secretKey };
    await imported(env.DATA_DIR, { from, terms, isLive: true });
    const start = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: '2' };
    const site = await boot(readEnv({ ...env, ...start }));
    try {
      expect(site.setupToken()).not.toBe(null);
      const call = (key: string, model = 'gpt-4o') =>
        fetch(`http://127.0.0.1:${site.port}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
        });
      const answer = await call(litellmKeys.alice);
      expect(answer.status).toBe(200);
      const cost = Number(answer.headers.get('x-tollgate-cost'));
      expect(cost).toBeGreaterThan(0);
      expect(upstream.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer sk-vendor-openai' });
      const { db } = site.core.store;
      const key = await tokens.findByHash(db, sha256(litellmKeys.alice));
      expect(key?.remain_quota).toBe(3_999_999 - cost);
      const [month] = await budgets.list(db, { user_id: key!.user_id, team_id: 0 }, { limit: 1 });
      expect(month?.used).toBe(6_172_839 + cost);
      // A model that the key may not call, a blocked key, and the third request of a minute.
      expect((await call(litellmKeys.alice, 'from-env')).status).toBe(403);
      expect((await call(litellmKeys.blocked)).status).toBe(401);
      expect((await call(`${litellmKeys.alice}x`)).status).toBe(401);
      const service = [];
      for (let n = 0; n < 4; n += 1) service.push((await call(litellmKeys.nobody)).status);
      // A minute may begin among them.
      expect(service.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
      expect(service[0]).toBe(200);
      expect(await checkBooks(db)).toEqual([]);
    } finally {
      await site.close();
      await upstream.close();
    }
  });
});

describe('values that LiteLLM encrypted', () => {
  it('open under the salt key in each of its forms, and under no other', () => {
    expect(decryptValue(sealLitellm('a text, 密'), saltKey)).toBe('a text, 密');
    for (const [version, key] of [
      ['v2', createHash('sha256').update(saltKey).digest()],
      ['v3', Buffer.from(hkdfSync('sha256', saltKey, '', 'litellm-at-rest-v3', 32))],
    ] as const) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const bytes = Buffer.concat([nonce, cipher.update('text'), cipher.final(), cipher.getAuthTag()]);
      const sealed = `${version}:gcm:${bytes.toString('base64url')}`;
      expect(decryptValue(sealed, saltKey)).toBe('text');
      expect(() => decryptValue(sealed, 'sk-other')).toThrow('under another key');
    }
    for (const wrong of [sealLitellm('text', 'sk-other'), 'AAAA', 'clear text', 'v3:gcm:AAAA'])
      expect(() => decryptValue(wrong, saltKey)).toThrow('under another key');
  });
});

import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { adoptedHash } from './adopt.ts';
import { createKeyResolver, markOfKey, newKey, type Resolution, type StoredToken } from './resolve.ts';
import { tableError } from '../../../relay/types/index.ts';

const ip = '203.0.113.9';

/** A refusal in its Chinese text. */
const refusalOf = (answer: Resolution | Promise<Resolution>) =>
  'kind' in answer && answer.kind === 'refusal' ? tableError(answer.error, answer.values).in('zh') : answer;

const stored = (
  change: Partial<StoredToken> = {},
  owner: Partial<StoredToken['owner']> = {},
): StoredToken => ({
  id: 7,
  name: 'test',
  status: 1,
  expiredTime: -1,
  remainQuota: 100,
  unlimited: false,
  modelLimitsEnabled: false,
  modelLimits: '',
  allowIps: '',
  group: '',
  crossGroupRetry: false,
  rule: { regions: '', noRetention: false },
  team: null,
  ...change,
  owner: {
    id: 3,
    accountId: 4,
    username: 'alice',
    role: 1,
    status: 1,
    group: 'default',
    acceptUnsetPrice: false,
    ...owner,
  },
});

/** A resolver over one stored token, with an adjustable clock and a count of lookups. */
function setUp(row: StoredToken | null, keyHash?: string) {
  const key = newKey();
  const world = { row, ms: 1_000_000_000, lookUps: 0, wait: Promise.resolve() };
  const resolver = createKeyResolver({
    clock: () => world.ms,
    async find(hash) {
      world.lookUps += 1;
      const found = hash === (keyHash ?? sha256(key)) ? world.row : null;
      await world.wait;
      return found;
    },
  });
  return { key, world, resolver, masked: `sk-${key.slice(0, 3)}***${key.slice(-3)}` };
}

describe('a relay key', () => {
  it('is found once and then cached', async () => {
    const { key, world, resolver } = setUp(stored({ modelLimitsEnabled: true, modelLimits: 'gpt-4o, o3,' }));
    const first = await resolver.resolve(`Bearer sk-${key}`, ip);
    expect(first).toMatchObject({ kind: 'token', id: 7, pinnedChannelId: 0, owner: { username: 'alice' } });
    expect(first.kind === 'token' && [...(first.modelLimits ?? [])]).toEqual(['gpt-4o', 'o3']);
    expect(await resolver.resolve(`Bearer sk-${key}`, ip)).toBe(first);
    expect(world.lookUps).toBe(1);
  });

  it('is refused with the messages that clients know, whatever is wrong with it', async () => {
    const cases: [StoredToken | null, number, (masked: string) => string][] = [
      [null, 401, () => '无效的令牌'],
      [stored({ status: 4 }), 401, (masked) => `该令牌额度已用尽 TokenStatusExhausted[${masked}]`],
      [stored({ status: 3 }), 401, () => '该令牌已过期'],
      [stored({ status: 2 }), 401, () => '该令牌状态不可用'],
      [
        stored({ remainQuota: -5 }),
        401,
        (masked) => `[${masked}] 该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = -5`,
      ],
      [stored({}, { status: 2 }), 403, () => '用户已被封禁'],
      [stored({ allowIps: '10.0.0.0/8' }), 403, () => '您的 IP 不在令牌允许访问的列表中'],
      [stored({ expiredTime: 1_000_000 }), 401, () => '该令牌已过期'],
    ];
    for (const [row, status, words] of cases) {
      const { key, resolver, masked } = setUp(row);
      expect(refusalOf(await resolver.resolve(`sk-${key}`, ip))).toMatchObject({
        status,
        message: words(masked),
      });
    }
    const { resolver } = setUp(stored());
    expect(refusalOf(await resolver.resolve('', ip))).toMatchObject({
      status: 401,
      message: '未提供令牌',
    });
    expect(refusalOf(await resolver.resolve('Bearer', ip))).toMatchObject({
      status: 401,
      message: '未提供令牌',
    });
  });

  it('is not looked up when it cannot be a key', async () => {
    const { resolver, world } = setUp(stored());
    await resolver.resolve("sk-' OR 1=1 --", ip);
    await resolver.resolve(`sk-${'x'.repeat(5000)}`, ip);
    expect(world.lookUps).toBe(0);
  });

  it.each([
    ['with dashes', 'sk-A_b-cD3-efg-hijklmnop_q'],
    ['of 48 characters', `sk-${'k'.repeat(48)}`],
    ['of 48 characters before a dash', `sk-${'k'.repeat(48)}-rest`],
    ['without the prefix', 'sk-plain'],
  ])('of another gateway, %s, is found by the hash of its whole text', async (_form, text) => {
    const { resolver, world } = setUp(stored(), sha256(text));
    expect(await resolver.resolve(`Bearer ${text}`, ip)).toMatchObject({ kind: 'token', id: 7 });
    const { lookUps } = world;
    expect(await resolver.resolve(`Bearer ${text}`, ip)).toMatchObject({ id: 7 });
    expect(world.lookUps).toBe(lookUps);
    expect(await resolver.resolve(text.slice(3), ip)).toMatchObject({ id: 7 });
    expect(refusalOf(await resolver.resolve(`${text}x`, ip))).toMatchObject({ code: 'invalid_api_key' });
    expect(await resolver.resolveMark(markOfKey(`Bearer ${text}`), ip)).toMatchObject({
      kind: 'token',
      pinnedChannelId: 0,
    });
  });

  it.each(['k'.repeat(48), `team-${'k'.repeat(43)}`, `${'k'.repeat(48)}-x`, `run${'k'.repeat(48)}`, 'short'])(
    'of another gateway, %s, is found by the hash that its import stores',
    async (key) => {
      const { resolver } = setUp(stored(), adoptedHash(key));
      for (const text of [key, `sk-${key}`])
        expect(await resolver.resolve(text, ip)).toMatchObject({ kind: 'token', id: 7 });
      expect(await resolver.resolveMark(markOfKey(key), ip)).toMatchObject({ kind: 'token', id: 7 });
    },
  );

  it('is not cached in a long spelling, of which one key has very many', async () => {
    const { key, world, resolver } = setUp(stored());
    for (const text of ['sk-'.repeat(1_000), ' '.repeat(1_000)]) {
      const before = world.lookUps;
      for (let calls = 0; calls < 2; calls += 1) await resolver.resolve(`Bearer ${text}${key}`, ip);
      expect(world.lookUps - before).toBeGreaterThan(1);
    }
  });

  it('may name a channel when its owner is an administrator, and no one else', async () => {
    const user = setUp(stored());
    expect(refusalOf(await user.resolver.resolve(`sk-${user.key}-5`, ip))).toMatchObject({
      status: 403,
      message: '普通用户不支持指定渠道',
    });
    const admin = setUp(stored({}, { role: 10 }));
    expect(await admin.resolver.resolve(`sk-${admin.key}-5`, ip)).toMatchObject({ pinnedChannelId: 5 });
    expect(refusalOf(await admin.resolver.resolve(`sk-${admin.key}-x`, ip))).toMatchObject({
      status: 400,
      message: '无效的渠道 Id',
    });
  });

  it('expires while it is cached, and its address list is checked every time', async () => {
    const { key, world, resolver } = setUp(
      stored({ expiredTime: 1_000_010, allowIps: `${ip}\n198.51.100.0/24` }),
    );
    expect(await resolver.resolve(key, ip)).toMatchObject({ kind: 'token' });
    expect(await resolver.resolve(key, '198.51.100.77')).toMatchObject({ kind: 'token' });
    expect(refusalOf(await resolver.resolve(key, '198.51.101.1'))).toMatchObject({ code: 'ip_not_allowed' });
    world.ms += 10_000;
    expect(refusalOf(await resolver.resolve(key, ip))).toMatchObject({ code: 'token_expired' });
  });

  it('is looked up again after a change of the token or its owner, and after a minute in any case', async () => {
    const { key, world, resolver } = setUp(stored());
    await resolver.resolve(key, ip);
    world.row = stored({ status: 2 });
    resolver.forgetToken(8);
    expect(await resolver.resolve(key, ip)).toMatchObject({ kind: 'token' });
    resolver.forgetToken(7);
    expect(refusalOf(await resolver.resolve(key, ip))).toMatchObject({ code: 'token_disabled' });

    world.row = stored();
    await resolver.resolve(key, ip);
    world.row = stored({}, { status: 2 });
    resolver.forgetUser(3);
    expect(refusalOf(await resolver.resolve(key, ip))).toMatchObject({ code: 'user_banned' });

    world.row = stored();
    await resolver.resolve(key, ip);
    world.row = null;
    world.ms += 60_000;
    expect(refusalOf(await resolver.resolve(key, ip))).toMatchObject({ code: 'invalid_api_key' });
  });

  it('is not cached when it changed during its look-up', async () => {
    const { key, world, resolver } = setUp(stored());
    let go: () => void = () => undefined;
    world.wait = new Promise((resolve) => {
      go = resolve;
    });
    const running = resolver.resolve(key, ip);
    world.row = stored({ status: 2 });
    resolver.forgetToken(7);
    go();
    await running;
    world.wait = Promise.resolve();
    expect(refusalOf(await resolver.resolve(key, ip))).toMatchObject({ code: 'token_disabled' });
  });
});

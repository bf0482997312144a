/** @module-tag deep */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boot, type RunningSite } from '../../boot/boot.ts';
import { readEnv } from '../../boot/env.ts';
import { sha256 } from '../../lib/hash.ts';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { accounts, channels, tokens, users } from '../../store/index.ts';
import { imported, look, MovingDesk, runCommand, secretKey } from '../../testing/moving-in/importing.ts';
import { oldKeys, oldPassword, oldSecrets } from '../../testing/moving-in/old-site.ts';
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

describe('a site that moved in', () => {
  let upstream: FakeUpstream;
  let tollgate: RunningSite;
  let url: string;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    const env = { DATA_DIR: desk.place(), SECRET_KEY: secretKey };
    await imported(env.DATA_DIR, { from: await desk.oldFile('new-api', upstream.url) });
    const start = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: '2' };
    tollgate = await boot(readEnv({ ...env, ...start }));
    url = `http://127.0.0.1:${tollgate.port}`;
  });
  afterAll(async () => {
    await tollgate.close();
    await upstream.close();
  });

  it('needs no set-up, and an old key calls through it and is billed', async () => {
    expect(tollgate.setupToken()).toBe(null);
    const sdk = new OpenAI({ apiKey: `sk-${oldKeys.limited}`, baseURL: `${url}/v1`, maxRetries: 0 });
    const { data, response } = await sdk.chat.completions
      .create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] })
      .withResponse();
    expect(data.choices).not.toEqual([]);
    expect(upstream.requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer sk-upstream-one',
      'openai-organization': 'org-7',
    });
    const cost = Number(response.headers.get('x-tollgate-cost'));
    expect(cost).toBeGreaterThan(0);

    const { db } = tollgate.core.store;
    const alice = (await users.find(db, 2))!;
    expect((await accounts.find(db, alice.account_id))?.balance).toBe(7_234_567 - cost);
    expect((await tokens.findByHash(db, sha256(oldKeys.limited)))?.remain_quota).toBe(400_000 - cost);
    expect(await checkBooks(db)).toEqual([]);
  });

  it('lets people in by their old password, which is then hashed anew', async () => {
    const { db } = tollgate.core.store;
    const signIn = (password: string) =>
      fetch(`${url}/api/user/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'erin', password }),
      }).then(async (answer) => ((await answer.json()) as { success: boolean }).success);
    const stored = async () => (await users.find(db, 6))!.password;
    expect(await signIn('another password')).toBe(false);
    expect(await stored()).toMatch(/^\$2a\$10\$/);
    expect(await signIn(oldPassword)).toBe(true);
    expect(await stored()).toMatch(/^argon2id\$/);
    expect(await signIn(oldPassword)).toBe(true);
  });

  it('asks those who had a second factor for it', async () => {
    const answer = await fetch(`${url}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'alice', password: oldPassword }),
    });
    const { data } = (await answer.json()) as { data: { require_2fa?: boolean } };
    expect(data.require_2fa).toBe(true);
  });
});

describe('a report', () => {
  it('tells what has another form here, and no secret', { timeout: 120_000 }, async () => {
    const dataDir = desk.place();
    const file = await desk.oldFile('new-api');
    const text = await runCommand(dataDir, [`--from=${file}`]);
    expect(text).toMatchObject({ code: 0, err: '' });
    for (const words of [
      'Source: new-api v1.0.0-rc.19, on sqlite',
      'users: 6 read, 6 written',
      'keys: 4 read, 3 written; left out: 1 deleted',
      'User 3 (bob) owed 777 units ($0.00): begins at 0',
      'Models without a price, which refuse calls until you set one: no-price-model',
      'user_subscriptions.upgrade_group',
      'Channel 3 (channel 3) is off: ',
      'Options that Tollgate does not have: StripeApiSecret, billing_setting.billing_mode',
      'Models priced by expressions, which Tollgate cannot compute; no channel offers them: tiered-model',
      'Sign-ins through GitHub names or Lark that stay behind',
      'Subscriptions that ran, of which what was left is credit until their end: 1',
    ])
      expect(text.out).toContain(words);
    const json = await runCommand(desk.place(), [`--from=${file}`, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ source: { program: 'new-api' } });
    for (const secret of oldSecrets) expect(`${text.out}${json.out}${json.err}`).not.toContain(secret);

    await look(dataDir, async (db) => {
      const all = await channels.all(db);
      expect(all[1]).toMatchObject({
        id: 2,
        name: 'channel 2',
        status: 1,
        weight: 10,
        header_override: '{"x-tenant":"7"}',
        tag: null,
      });
      expect(all).toHaveLength(4);
    });
    const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)).toString('latin1'));
    // The database holds hashes of passwords and codes without change.
    for (const secret of oldSecrets.slice(1, -1)) expect(files.join('')).not.toContain(secret);
  });

  it('names channels of one-api that have no place, and the others have our numbers and addresses', async () => {
    const dataDir = desk.place();
    const report = await imported(dataDir, { from: await desk.oldFile('one-api') });
    expect(report.channelsOff).toMatchObject([{ id: 3 }]);
    await look(dataDir, async (db) => {
      expect(await channels.all(db)).toMatchObject([
        { id: 1, type: 1, base_url: 'http://127.0.0.1:9', status: 1 },
        { id: 2, type: 42, status: 1 },
        { id: 3, type: 0, status: 2 },
        { id: 4, type: 41, other: 'europe-west1', status: 1, key_hash: sha256('{"type":"service_account"}') },
      ]);
      expect((await users.view(db, 4))?.deleted_at).not.toBe(null);
    });
  });
});

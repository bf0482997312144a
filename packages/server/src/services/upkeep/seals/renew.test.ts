import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeCore, type Core, openCore } from '../../../boot/site.ts';
import { readEnv } from '../../../boot/env.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { SealPlace } from '../../../lib/seal.ts';
import { headersPlace, keyPlace as channelKeyPlace } from '../../calls/channels/index.ts';
import { keptPlace, partPlace } from '../../calls/routing/index.ts';
import { answerPlace } from '../../calls/idempotency/index.ts';
import { openSecret, webhookPlace } from '../../site/notify/index.ts';
import { codePlace } from '../../money/redemptions/index.ts';
import { optionPlace } from '../../site/settings/index.ts';
import { keyPlace as tokenKeyPlace } from '../../people/tokens/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { channels, options, redemptions, tokens, users } from '../../../store/index.ts';
import { addCaller } from '../../../testing/gateway-harness.ts';
import { fillSecrets, secrets } from '../../../testing/fill-secrets.ts';

let dataDir: string;
let core: Core;
const open = () =>
  openCore(
    readEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', SECRET_KEY: 'a test master key of 32 characters!' }),
  );
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-seals-'));
  core = await open();
});
afterEach(async () => {
  await closeCore(core);
  await rm(dataDir, { recursive: true, force: true });
});

/** Every sealed text in the database, with its column. */
async function sealedTexts(): Promise<{ column: string; text: string; cells: string }[]> {
  const tables = await core.store.db.introspection.getTables();
  const found: { column: string; text: string; cells: string }[] = [];
  for (const { name } of tables) {
    const rows = await core.store.db
      .selectFrom(name as 'users')
      .selectAll()
      .execute();
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        const cells = JSON.stringify(value) ?? '';
        for (const [text] of cells.matchAll(/\bv[12]\.[\w-]{10,}\.[\w-]+\.[\w-]+/g))
          found.push({ column: `${name}.${column}`, text, cells });
      }
  }
  return found;
}

/** Seals in the format of versions before row-bound seals. */
function formerSeal(plain: string, context: string): string {
  const key = Buffer.from(hkdfSync('sha256', core.masterKey, Buffer.alloc(0), 'tollgate seal v1', 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return ['v1', ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
}

/** The only sealed text of each column, and its seal place for a row. */
async function places({ channelId, userId }: { channelId: number; userId: number }) {
  const [token] = await tokens.list(core.store.db, { teamId: 0, userId }, { offset: 0, limit: 1 });
  const proxy: SealPlace = { column: 'channels.setting.proxy_password', row: channelId };
  return new Map<string, SealPlace>([
    ['channels.key_sealed', channelKeyPlace(channelId)],
    ['channels.setting', proxy],
    ['channels.header_secrets_sealed', headersPlace(channelId)],
    ['options.value', optionPlace('SMTPToken')],
    ['tokens.key_sealed', tokenKeyPlace(token!)],
    ['users.setting', webhookPlace(userId)],
    ['idempotent_calls.answer', answerPlace('call-1')],
    ['kept_responses.conversation_sealed', keptPlace(sha256(`${userId} resp_1`))],
    ['kept_parts.body_sealed', partPlace({ object: 'o', place: 1, piece: 0 })],
    ['redemptions.key_sealed', codePlace(sha256(secrets.code))],
  ]);
}

describe('every sealed column', () => {
  it('is listed, opens for its row, and for no other', async () => {
    const known = await places(await fillSecrets(core));
    const texts = await sealedTexts();
    expect(texts.map(({ column }) => column).toSorted()).toEqual([...known.keys()].toSorted());
    for (const { column, text } of texts) {
      const place = known.get(column)!;
      expect(core.sealer.open(text, place), column).not.toBe('');
      expect(() => core.sealer.open(text, { ...place, row: `${place.row}1` }), column).toThrow(
        /authenticate/,
      );
      for (const other of [...known.values()].filter((each) => each !== place))
        expect(() => core.sealer.open(text, other), column).toThrow(/authenticate/);
    }
    for (const secret of Object.values(secrets))
      for (const { cells } of texts) expect(cells).not.toContain(secret);
  });
});

eachDialect('redemption codes of an earlier version', ({ open: openDatabase, url }) => {
  it('are encrypted at the start, once, and can be redeemed', async () => {
    const { db } = await openDatabase();
    const code = { user_id: 1, key_sealed: '', name: 'gift', quota: 700, created_time: 1 };
    const codes = ['a'.repeat(32), 'short', '兑换码'];
    await redemptions.create(
      db,
      codes.map((key) => ({ ...code, key_hash: key })),
    );
    const stored = () => db.selectFrom('redemptions').selectAll().orderBy('id').execute();
    const start = () =>
      openCore(readEnv({ DATABASE_URL: url(), LOG_LEVEL: 'silent', SECRET_KEY: 'k'.repeat(32) }));
    const site = await start();
    const rows = await stored();
    expect(rows.map(({ key_hash }) => key_hash)).toEqual(codes.map(sha256));
    expect(rows.map((row) => site.sealer.open(row.key_sealed, codePlace(row.key_hash)))).toEqual(codes);
    const { userId } = await addCaller(site, { balance: 0, allowance: null, group: 'default' });
    for (const key of codes)
      expect(await site.ledger.redeem({ key, userId, timeZone: 'UTC', content: String })).toMatchObject({
        quota: 700,
      });
    const redeemed = await stored();
    await closeCore(site);
    await closeCore(await start());
    expect(await stored()).toEqual(redeemed);
  }, 60_000);
});

describe('a database of an earlier version', () => {
  it('has its secrets sealed anew at the start, including proxy passwords in plain text', async () => {
    const { channelId, userId } = await fillSecrets(core);
    const { db } = core.store;
    const known = await places({ channelId, userId });
    const sealed = new Map((await sealedTexts()).map(({ column, text }) => [column, text]));
    const former = (column: string, context: string) =>
      formerSeal(core.sealer.open(sealed.get(column)!, known.get(column)!), context);
    const proxy = `http://user:${secrets.proxyPassword}@proxy.example:3128/`;
    await channels.update(db, channelId, {
      key_sealed: former('channels.key_sealed', 'channels.key'),
      setting: JSON.stringify({ proxy }),
      base_url: 'https://user:hunter2@own.example/v1',
      header_override: JSON.stringify({ 'x-access-token': secrets.header }),
      header_secrets_sealed: null,
    });
    await options.put(db, 'SMTPToken', former('options.value', 'options.SMTPToken'));
    await db
      .updateTable('tokens')
      .set({ key_sealed: former('tokens.key_sealed', 'tokens.key') })
      .where('key_sealed', '!=', '')
      .execute();
    const webhook_secret = former('users.setting', 'users.setting.webhook_secret');
    await users.update(db, userId, { setting: JSON.stringify({ webhook_secret }) });
    await db
      .updateTable('idempotent_calls')
      .set({ answer: former('idempotent_calls.answer', 'idempotent_calls.answer call-1') })
      .execute();
    await db.updateTable('redemptions').set({ key_hash: secrets.code, key_sealed: '' }).execute();
    await closeCore(core);
    core = await open();

    const texts = await sealedTexts();
    expect(texts.map(({ column }) => column).toSorted()).toEqual([...known.keys()].toSorted());
    for (const { column, text } of texts)
      expect(core.sealer.open(text, known.get(column)!), column).not.toBe('');
    const loaded = await core.channels.load(channelId);
    const headerOverride = { sets: [{ name: 'x-access-token', text: secrets.header }] };
    expect(loaded?.channel).toMatchObject({ key: secrets.channelKey, setting: { proxy }, headerOverride });
    expect((await channels.find(core.store.db, channelId))?.header_override).not.toContain(secrets.header);
    expect((await channels.find(core.store.db, channelId))?.base_url).toBe('https://own.example/v1');
    expect(core.settings.get('SMTPToken')).toBe(secrets.option);
    const { setting } = (await users.find(core.store.db, userId))!;
    const stored = (JSON.parse(setting) as { webhook_secret: string }).webhook_secret;
    expect(openSecret(core.sealer, userId, stored)).toBe(secrets.webhook);
  });

  it('starts although one secret was sealed with another master key', async () => {
    const { channelId } = await fillSecrets(core);
    await channels.update(core.store.db, channelId, { key_sealed: 'v1.AAAAAAAAAAAAAAAA.AAAA.AAAA' });
    await closeCore(core);
    core = await open();
    expect((await core.channels.get(channelId)).key_hint).toBe('');
  });
});

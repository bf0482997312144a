import { expect, it } from 'vitest';
import { closeCore, type Core, openCore } from '../../../boot/site.ts';
import { readEnv } from '../../../boot/env.ts';
import { createSealer, looksSealed } from '../../../lib/seal.ts';
import type { Db } from '../../../store/index.ts';
import { eachDialect, repeatedOn } from '../../../store/each-dialect.ts';
import { fillSecrets, secrets } from '../../../testing/fill-secrets.ts';
import { createPasswords } from '../../people/auth/password.ts';
import { authenticatorPlace } from '../../people/factors/index.ts';
import { openSecret } from '../../site/notify/index.ts';
import { secretPlace } from '../../people/oauth/index.ts';
import { firstMasterKey, rotateSeals, unopened } from './index.ts';
import { sealedColumns } from './sealed-columns.ts';

const first = 'the first master key, 32 characters';
const second = 'the second master key of this site!!';
const third = 'a third master key, longer than needed';
const keyOf = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Every text in the database that looks sealed, by table and column. */
async function readTexts(db: Db): Promise<{ column: string; text: string }[]> {
  const found: { column: string; text: string }[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const rows = await db
      .selectFrom(name as 'users')
      .selectAll()
      .execute();
    for (const [column, value] of rows.flatMap((row) => Object.entries(row)))
      for (const [text] of (JSON.stringify(value) ?? '').matchAll(/\bv2(?:\.[\w-]+){3}/g))
        if (looksSealed(text)) found.push({ column: `${name}.${column}`, text });
  }
  return found;
}

eachDialect('a master key that is changed', ({ kind, open, openAgain, url }) => {
  let core: Core | undefined;
  const start = async (current: string, former = ''): Promise<Core> => {
    if (core) await closeCore(core);
    core = await openCore(
      readEnv({
        DATABASE_URL: url(),
        LOG_LEVEL: 'silent',
        SECRET_KEY: current,
        ...(former !== '' && { FORMER_SECRET_KEY: former }),
      }),
    );
    return core;
  };
  const stop = async (): Promise<void> => {
    if (core) await closeCore(core);
    core = undefined;
  };

  /** Changes the key; stops after this number of seals, as if killed. */
  async function rotate(from: string, to: string, killedAfter = Infinity): Promise<number> {
    const { db } = await openAgain();
    const either = createSealer(keyOf(to), keyOf(from));
    let seals = 0;
    const mortal = {
      ...either,
      seal(...call: Parameters<typeof either.seal>): string {
        if ((seals += 1) > killedAfter) throw new Error('killed');
        return either.seal(...call);
      },
    };
    await firstMasterKey(db, mortal, { current: keyOf(to), former: keyOf(from) });
    return rotateSeals({ db, either: mortal, current: createSealer(keyOf(to)) });
  }

  /** A site with a secret in every place, and a password. */
  async function fill() {
    await open();
    const site = await start(first);
    const ids = await fillSecrets(site);
    const { db } = site.store;
    const { userId } = ids;
    await db
      .insertInto('authenticators')
      .values({
        user_id: userId,
        secret_sealed: site.sealer.seal('secret of an app', authenticatorPlace(userId)),
        confirmed_time: 1,
        used_step: 0,
      })
      .execute();
    const sealed = site.sealer.seal('secret of a client', secretPlace('works'));
    await db
      .insertInto('sign_in_providers')
      .values({
        slug: 'works',
        name: 'Works',
        logo: '',
        well_known: 'https://works.example',
        issuer: 'https://works.example',
        client_id: 'id',
        client_secret_sealed: sealed,
        scopes: 'openid',
        enabled: 0,
        position: 0,
        created_time: 1,
      })
      .execute();
    const password = await createPasswords({ masterKey: site.firstMasterKey }).hash('correct horse');
    return { ...ids, password, count: (await readTexts(db)).length };
  }

  /** Checks that every sealed text can be read and that the password is still right. */
  async function expectAll(site: Core, filled: Awaited<ReturnType<typeof fill>>): Promise<void> {
    expect(await unopened(site.store.db, site.sealer)).toEqual([]);
    const loaded = await site.channels.load(filled.channelId);
    expect(loaded?.channel.key).toBe(secrets.channelKey);
    expect(JSON.stringify(loaded?.channel.setting)).toContain(secrets.proxyPassword);
    expect(loaded?.channel.headerOverride?.sets).toMatchObject([{ text: secrets.header }]);
    expect(site.settings.get('SMTPToken')).toBe(secrets.option);
    const user = await site.store.db
      .selectFrom('users')
      .select('setting')
      .where('id', '=', filled.userId)
      .executeTakeFirstOrThrow();
    const { webhook_secret: webhook } = JSON.parse(user.setting) as { webhook_secret: string };
    expect(openSecret(site.sealer, filled.userId, webhook)).toBe(secrets.webhook);
    const passwords = createPasswords({ masterKey: site.firstMasterKey });
    expect((await passwords.check('correct horse', filled.password)).matches).toBe(true);
  }

  it('has every sealed column of the schema in its list', async () => {
    await fill();
    const { db } = core!.store;
    const listed = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`));
    const tables = await db.introspection.getTables();
    const named = tables.flatMap(({ name, columns }) =>
      columns.filter((column) => column.name.endsWith('_sealed')).map((column) => `${name}.${column.name}`),
    );
    expect(named.length).toBeGreaterThan(4);
    const found = (await readTexts(db)).map(({ column }) => column);
    expect([...named, ...found].filter((column) => !listed.has(column))).toEqual([]);
  }, 120_000);

  it('seals everything anew, so that the former key opens nothing and may be removed', async () => {
    const filled = await fill();
    await stop();
    // The rotation also seals the founding key, in addition to the existing secrets.
    expect(await rotate(first, second)).toBe(filled.count);
    await expectAll(await start(second), filled);
    const { db } = core!.store;
    const left = await unopened(db, createSealer(keyOf(first)));
    expect(left).toHaveLength(filled.count + 1);
    await stop();
    expect(await rotate(second, third)).toBe(filled.count + 1);
    await expectAll(await start(third), filled);
  }, 120_000);

  it(
    'leaves everything readable with both keys wherever it is killed, and continues when it is run again',
    { ...repeatedOn(kind), timeout: 120_000 },
    async () => {
      const filled = await fill();
      await stop();
      await expect(rotate(first, second, 0)).rejects.toThrow('killed');
      await expectAll(await start(second, first), filled);
      let isOver = false;
      while (!isOver) {
        await stop();
        isOver = await rotate(first, second, 1).then(
          () => true,
          (error: Error) => {
            expect(error.message).toBe('killed');
            return false;
          },
        );
        await expectAll(await start(second, first), filled);
      }
      await stop();
      expect(await rotate(first, second)).toBe(0);
      await expectAll(await start(second), filled);
    },
  );

  it('is not begun with a wrong key: such a start is refused', async () => {
    await fill();
    await stop();
    await rotate(first, second);
    await expect(start(first)).rejects.toThrow(/master key is not that of this database/);
    core = undefined;
    await start(second);
    await stop();
  }, 120_000);
});

import { expect, it } from 'vitest';
import { eachDialect } from '../../each-dialect.ts';
import { accounts, users } from '../../index.ts';
import { add as bind, countByProvider, countOnlyWay, removeProvider } from '../identities.ts';
import { add, all, find, remove, update, type SignInProviderRow } from './sign-in-providers.ts';

const works: SignInProviderRow = {
  slug: 'works',
  kind: 'oidc',
  attributes: '{}',
  name: '单位',
  logo: `data:image/png;base64,${'A'.repeat(16_000)}`,
  well_known: 'https://id.example',
  issuer: 'https://id.example',
  client_id: 'gate',
  client_secret_sealed: 'sealed',
  scopes: 'openid',
  enabled: 1,
  position: 2,
  created_time: 1,
};

eachDialect('providers that root added', ({ open, openAgain }) => {
  it('have one slug each, under concurrent additions, and keep their order', async () => {
    const stores = [await open(), await openAgain()];
    const { db } = stores[0]!;
    const tries = Array.from({ length: 10 }, (_, i) => add(stores[i % 2]!.db, works));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    await add(db, { ...works, slug: 'school', position: 1 });
    expect((await all(db)).map(({ slug }) => slug)).toEqual(['school', 'works']);
    await update(db, 'works', { enabled: 0, name: 'Works' });
    expect(await find(db, 'works')).toEqual({ ...works, enabled: 0, name: 'Works' });
    expect(await remove(db, 'works')).toBe(true);
    expect(await remove(db, 'works')).toBe(false);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('have the number of bound users, and of those without another sign-in method', async () => {
    const store = await open();
    const { db } = store;
    const person = async (username: string, change: { password?: string; email?: string }) => {
      const id = await users.create(db, {
        username,
        password: '',
        display_name: username,
        role: 1,
        email: '',
        group: 'default',
        inviter_id: 0,
        created_time: 1,
        account_id: await accounts.create(db),
        ...change,
      });
      for (const provider of ['works', ...(username === 'both' ? ['school'] : [])])
        await bind(db, { provider, subject: username, user_id: id, created_time: 1 });
    };
    await person('alone', {});
    await person('by-password', { password: 'hash' });
    await person('by-mail', { email: 'a@example.com' });
    await person('both', {});
    expect(await countByProvider(db, ['works', 'school', 'nobody'])).toEqual(
      new Map([
        ['works', 4],
        ['school', 1],
      ]),
    );
    const usual = { others: ['school'], byPassword: true, byMail: true };
    expect(await countOnlyWay(db, 'works', usual)).toBe(1);
    expect(await countOnlyWay(db, 'works', { ...usual, others: [] })).toBe(2);
    expect(await countOnlyWay(db, 'works', { ...usual, byMail: false })).toBe(2);
    expect(await countOnlyWay(db, 'works', { others: [], byPassword: false, byMail: false })).toBe(4);
    expect(await removeProvider(db, 'works')).toBe(4);
    expect(await countByProvider(db, [])).toEqual(new Map());
    await store.close();
  });
});

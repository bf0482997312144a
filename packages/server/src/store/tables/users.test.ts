import { beforeEach, expect, it } from 'vitest';
import { dialectOf } from '../db.ts';
import { eachDialect } from '../each-dialect.ts';
import type { Db } from '../dialects/types.ts';
import * as accounts from './accounts.ts';
import * as users from './users.ts';
import type { NewUser } from './users.ts';

async function addUser(db: Db, username: string, rest: Partial<NewUser> = {}): Promise<number> {
  const accountId = await accounts.create(db);
  return users.create(db, { account_id: accountId, username, created_time: 100, ...rest });
}

eachDialect('users', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('start with an empty account and the defaults of an ordinary user', async () => {
    const id = await addUser(db, 'alice');
    expect(await users.find(db, id)).toMatchObject({
      id,
      username: 'alice',
      role: 1,
      status: 1,
      group: 'default',
      used_quota: 0,
      aff_quota: 0,
      aff_code: null,
      access_token_hash: null,
      deleted_at: null,
    });
    expect(await accounts.ofUser(db, id)).toMatchObject({ balance: 0, held: 0 });
    const account = await accounts.ofUser(db, id);
    expect(await accounts.find(db, account?.id ?? 0)).toEqual(account);
    expect(await accounts.find(db, 999_999)).toBeUndefined();
  });

  it('keep Chinese and emoji names whole', async () => {
    const id = await addUser(db, '小明🙂', { display_name: '管理员' });
    expect(await users.findByLogin(db, '小明🙂')).toMatchObject({ id, display_name: '管理员' });
  });

  it('refuse a second user of the same name with an error of its own', async () => {
    await addUser(db, 'alice');
    const error: unknown = await addUser(db, 'alice').catch((reason: unknown) => reason);
    expect(dialectOf(db).isUniqueViolation(error)).toBe(true);
    expect(dialectOf(db).isRetryable(error)).toBe(false);
  });

  it('are found by name, e-mail, access token and invitation code, but never by an empty one', async () => {
    const id = await addUser(db, 'alice', {
      email: 'alice@example.com',
      access_token_hash: 'a'.repeat(64),
      aff_code: 'CODE',
    });
    await addUser(db, 'bob');
    expect((await users.findByLogin(db, 'alice'))?.id).toBe(id);
    expect((await users.findByLogin(db, 'alice@example.com'))?.id).toBe(id);
    expect((await users.findByEmail(db, 'alice@example.com'))?.id).toBe(id);
    expect((await users.findByAccessToken(db, 'a'.repeat(64)))?.id).toBe(id);
    expect((await users.findByAffCode(db, 'CODE'))?.id).toBe(id);
    expect(await users.findByEmail(db, '')).toBeUndefined();
  });

  it('whose name is another’s address cannot sign in as that user', async () => {
    const named = await addUser(db, 'bob@example.com');
    await addUser(db, 'bob', { email: 'bob@example.com' });
    expect((await users.findByLogin(db, 'bob@example.com'))?.id).toBe(named);
  });

  it('cannot sign in once deleted, yet stay in lists and keep their name', async () => {
    const id = await addUser(db, 'alice', { email: 'a@example.com' });
    expect(await users.softDelete(db, id, 500)).toBe(true);
    expect(await users.softDelete(db, id, 600)).toBe(false);
    expect(await users.find(db, id)).toBeUndefined();
    expect(await users.findLocked(db, id)).toBeUndefined();
    expect(await users.findByLogin(db, 'a@example.com')).toBeUndefined();
    expect(await users.update(db, id, { status: 1 })).toBe(false);
    expect(await users.view(db, id)).toMatchObject({ deleted_at: 500 });
    expect(await users.isUsernameTaken(db, 'alice')).toBe(true);
    expect((await users.list(db, { offset: 0, limit: 10 })).total).toBe(1);
    expect(await users.remove(db, id)).toBe(true);
    expect(await users.isUsernameTaken(db, 'alice')).toBe(false);
  });

  it('are listed newest first, page by page, with the balance and without secrets', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await addUser(db, name, { password: 'argon2id$x' }));
    const page = await users.list(db, { offset: 1, limit: 1 });
    expect(page.total).toBe(3);
    expect(page.rows.map(({ id }) => id)).toEqual([ids[1]]);
    expect(page.rows[0]).toMatchObject({ balance: 0, held: 0 });
    expect(Object.keys(page.rows[0] ?? {})).not.toContain('password');
    expect(Object.keys(page.rows[0] ?? {})).not.toContain('access_token_hash');
  });

  it('are searched by id, part of a name in any case, and group; % and _ are plain characters', async () => {
    const alice = await addUser(db, 'Alice', { group: 'vip' });
    const percent = await addUser(db, '100%_off', { display_name: 'back\\slash!' });
    await addUser(db, 'carol');
    const search = async (keyword: string, group = ''): Promise<number[]> =>
      (await users.search(db, { keyword, group, offset: 0, limit: 10 })).rows.map(({ id }) => id);
    expect(await search('ALI')).toEqual([alice]);
    expect(await search(String(alice))).toContain(alice);
    expect(await search('', 'vip')).toEqual([alice]);
    expect(await search('%')).toEqual([percent]);
    expect(await search('0%_o')).toEqual([percent]);
    expect(await search('\\slash!')).toEqual([percent]);
    expect(await search("' or 1=1 --")).toEqual([]);
  });

  it('are ordered by their own columns and by the balance of their payer, page by page', async () => {
    const poor = await addUser(db, 'poor', { group: 'vip', remark: '客户 7' });
    const rich = await addUser(db, 'rich');
    const payer = await accounts.ofUser(db, rich);
    await db
      .updateTable('accounts')
      .set({ balance: 5 })
      .where('id', '=', payer?.id ?? 0)
      .execute();
    const ordered = async (by: users.UserSort['by'], descending: boolean, offset = 0, limit = 10) =>
      (await users.search(db, { keyword: '', group: '', offset, limit, sort: { by, descending } })).rows.map(
        ({ id }) => id,
      );
    expect(await ordered('quota', true)).toEqual([rich, poor]);
    expect(await ordered('quota', false)).toEqual([poor, rich]);
    expect(await ordered('group', true)).toEqual([poor, rich]);
    expect(await ordered('role', true)).toEqual([rich, poor]);
    expect(await ordered('quota', false, 1, 1)).toEqual([rich]);
    expect((await users.view(db, poor))?.remark).toBe('客户 7');
  });

  it('have the number of users they invited, and whether there is a root', async () => {
    const id = await addUser(db, 'root', { role: 100 });
    await users.addInvited(db, id);
    await users.addInvited(db, id);
    expect((await users.find(db, id))?.aff_count).toBe(2);
    expect(await users.hasRole(db, 100)).toBe(true);
    expect((await users.withRole(db, 10)).map((user) => user.id)).toEqual([id]);
    await users.update(db, id, { role: 1 });
    expect(await users.hasRole(db, 100)).toBe(false);
  });
});

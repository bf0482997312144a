import { expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import { find, keep, remove, replace, removeBefore, removeOf, trim, usersBeyond } from './kept-responses.ts';

eachDialect('kept responses', ({ open }) => {
  it('stay as they were kept, until they are deleted, too old or too many', async () => {
    const { db } = await open();
    const row = { user_id: 1, at: 10, size: 5, conversation_sealed: 'first' };
    expect(await keep(db, { ...row, name: 'a' })).toBe(true);
    expect(await keep(db, { ...row, name: 'a', conversation_sealed: 'second' })).toBe(false);
    expect(await find(db, 'a')).toMatchObject({ conversation_sealed: 'first', size: 5 });
    const { id } = (await find(db, 'a'))!;
    const changes = [1, 2, 3, 4].map((n) =>
      replace(db, id, { ...row, name: 'a', conversation_sealed: `change ${n}` }),
    );
    expect((await Promise.all(changes)).filter(Boolean)).toHaveLength(1);
    expect((await find(db, 'a'))!.id).not.toBe(id);
    for (const name of ['b', 'c', 'd']) await keep(db, { ...row, name, at: 20 });
    await keep(db, { ...row, name: 'e', user_id: 2, at: 20 });
    const left = async () =>
      (await db.selectFrom('kept_responses').select('name').orderBy('id').execute()).map(({ name }) => name);
    expect(await usersBeyond(db, { rows: 10, size: 19 })).toEqual([1]);
    expect(await usersBeyond(db, { rows: 3, size: 99 })).toEqual([1]);
    await trim(db, { rows: 10, size: 15 }, 1);
    expect(await left()).toEqual(['b', 'c', 'd', 'e']);
    await trim(db, { rows: 3, size: 99 });
    expect(await left()).toEqual(['c', 'd', 'e']);
    expect([await remove(db, 'c'), await remove(db, 'c')]).toEqual([true, false]);
    await removeOf(db, 1);
    expect(await left()).toEqual(['e']);
    expect([await removeBefore(db, 20), await removeBefore(db, 21)]).toEqual([0, 1]);
  });
});

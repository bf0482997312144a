import { expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import * as batchItems from './batch-items.ts';
import * as parts from './kept-parts.ts';

eachDialect('kept parts and claimed items', ({ open }) => {
  const part = (object: string, place: number, piece = 0, user_id = 1): parts.KeptPartRow => ({
    object,
    user_id,
    place,
    piece,
    size: 10,
    expires_at: 100 + place,
    body_sealed: `${object} ${place} ${piece}`,
  });

  it('are read in order, counted, bounded by user, and deleted', async () => {
    const { db } = await open();
    await parts.add(db, [part('a', 2), part('a', 1, 1), part('a', 1), part('b', 1, 0, 2), part('a', 1)]);
    const read = async (after = { place: -1, piece: 0 }) =>
      (await parts.page(db, 'a', after, 2)).map(({ body_sealed: text }) => text);
    expect(await read()).toEqual(['a 1 0', 'a 1 1']);
    expect(await read({ place: 1, piece: 0 })).toEqual(['a 1 1', 'a 2 0']);
    expect((await parts.ofPlace(db, 'a', 1)).map(({ piece }) => piece)).toEqual([0, 1]);
    expect([await parts.count(db, 'a', 0), await parts.count(db, 'a', 2)]).toEqual([2, 1]);
    expect([await parts.size(db, 1), await parts.size(db, 2), await parts.size(db)]).toEqual([30, 10, 40]);
    await parts.extend(db, 'b', 500);
    expect(await parts.removeExpired(db, 101)).toBe(2);
    expect([await read(), await parts.count(db, 'b', 0)]).toEqual([['a 2 0'], 1]);
    await parts.removeOf(db, 2);
    await parts.remove(db, 'a');
    expect(await parts.size(db)).toBe(0);
  });

  it('belong to one process until they are due again', async () => {
    const { db } = await open();
    const item = (place: number) => ({ task_id: 7, name: `n${place}`, place, price: 0, tokens: 1 });
    await batchItems.create(db, [item(1), item(2)]);
    const claim = (now: number) => batchItems.claim(db, 7, now, now + 50);
    const claimed = await Promise.all([claim(10), claim(10), claim(10)]);
    expect(claimed.map((each) => each?.place ?? 0).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    const first = claimed.find((each) => each !== undefined);
    expect(await batchItems.setDue(db, first!, { due_at: 20, tries: 1 })).toBe(true);
    expect(await batchItems.setDue(db, first!, { due_at: 30, tries: 2 })).toBe(false);
    expect(await claim(25)).toMatchObject({ place: first!.place, tries: 1, due_at: 75 });
    expect(await batchItems.countOpen(db, 7)).toBe(2);
    await batchItems.removeAll(db, 7);
  });
});

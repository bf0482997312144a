import { beforeEach, expect, it } from 'vitest';
import type { Db } from '../../dialects/types.ts';
import { eachDialect } from '../../each-dialect.ts';
import { type AuditFilter, exists, expire, insert, list, type AuditRow } from './audit.ts';

const day = 86_400;
const now = Math.floor(Date.now() / 1000);

const row = (columns: Partial<AuditRow> = {}): Omit<AuditRow, 'id'> => ({
  at: now,
  kind: 'user.update',
  outcome: '',
  actor_id: 1,
  actor_name: 'root',
  user_id: 2,
  target_type: 'user',
  target_id: '2',
  target_name: 'ann',
  method: 'session',
  ip: '192.0.2.1',
  user_agent: 'a browser',
  request_id: 'r-1',
  detail: '',
  ...columns,
});

eachDialect('the audit', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  const found = async (filter: AuditFilter, paging: { before?: number; limit?: number } = {}) =>
    (await list(db, filter, { limit: 100, ...paging })).map(({ request_id }) => request_id);

  it('is append-only: the database refuses a change, and a deletion within 30 days', async () => {
    await insert(db, row({ at: now - 29 * day }));
    await expect(db.updateTable('audit').set({ kind: 'x' }).execute()).rejects.toThrow('append-only');
    await expect(db.deleteFrom('audit').execute()).rejects.toThrow('append-only');
    await expect(expire(db, now, 10)).rejects.toThrow('append-only');
    expect(await found({})).toEqual(['r-1']);
  });

  it('deletes what is older than requested, the oldest first and a bounded number at a time', async () => {
    for (const age of [40, 60, 50, 1]) await insert(db, row({ at: now - age * day, request_id: `${age}` }));
    expect(await expire(db, now - 35 * day, 2)).toBe(2);
    expect(await found({})).toEqual(['1', '40']);
    expect(await expire(db, now - 35 * day, 2)).toBe(1);
    expect(await expire(db, now - 35 * day, 2)).toBe(0);
  });

  it('is filtered by time, actor, account, kind or family, and any part of its texts', async () => {
    await insert(db, row({ request_id: 'a', at: now - 10, detail: '{"changes":{"group":{}}}' }));
    await insert(db, row({ request_id: 'b', kind: 'user_other.update', actor_id: 7, target_name: 'BOB%x' }));
    await insert(db, row({ request_id: 'c', kind: 'user.quota', user_id: 9, ip: '198.51.100.7' }));
    expect(await found({})).toEqual(['c', 'b', 'a']);
    expect(await found({ end: now - 5 })).toEqual(['a']);
    expect(await found({ start: now - 5 })).toEqual(['c', 'b']);
    expect(await found({ actorId: 7 })).toEqual(['b']);
    expect(await found({ userId: 9 })).toEqual(['c']);
    expect(await found({ kind: 'user' })).toEqual(['c', 'a']);
    expect(await found({ kind: 'user.quota' })).toEqual(['c']);
    expect(await found({ text: 'bob%' })).toEqual(['b']);
    expect(await found({ text: '51.100' })).toEqual(['c']);
    expect(await found({ text: 'group' })).toEqual(['a']);
  });

  it('pages by the last row seen, whatever is written meanwhile', async () => {
    for (let n = 1; n <= 5; n += 1) await insert(db, row({ request_id: `${n}` }));
    const [, second] = await list(db, {}, { limit: 2 });
    await insert(db, row({ request_id: '6' }));
    expect(await found({}, { before: second!.id, limit: 2 })).toEqual(['3', '2']);
  });

  it('cuts texts to their columns rather than fail the action', async () => {
    const long = 'x'.repeat(400);
    await insert(db, row({ target_name: long, user_agent: `${long}\0`, detail: 'a\0b' }));
    const [kept] = await list(db, {}, { limit: 1 });
    expect(kept).toMatchObject({ target_name: 'x'.repeat(255), user_agent: 'x'.repeat(255), detail: 'ab' });
  });

  it('finds a read that was recorded since a given time', async () => {
    const reading = { user_id: 2, kind: 'token.reveal', target_type: 'token', target_id: '4', ip: 'i' };
    await insert(db, row(reading));
    expect(await exists(db, reading, now - 1)).toBe(true);
    expect(await exists(db, reading, now + 1)).toBe(false);
    expect(await exists(db, { ...reading, ip: 'j' }, now - 1)).toBe(false);
  });
});

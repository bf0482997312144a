import { logFilters, type LogFilters, role } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { type Db, logs as logRows, teams, tokens } from '../../../store/index.ts';
import { createLogHours, createLogs, createReceipts, type LogEntry, type Logs } from './index.ts';
import { createAudit } from '../../site/audit/index.ts';

const now = 1_700_000_000;
const first = { page: 1, pageSize: 50 };
const filters = (some: Record<string, unknown> = {}): LogFilters => logFilters.parse(some);

eachDialect('the log', ({ open }) => {
  let db: Db;
  let logs: Logs;

  beforeEach(async () => {
    ({ db } = await open());
    logs = createLogs({
      reports: db,
      db,
      audit: createAudit({ db, reports: db, clock: () => now * 1000 }),
      clock: () => now * 1000,
      channelName: (id) => (id === 9 ? 'main' : ''),
    });
  });

  const write = (some: Partial<LogEntry> = {}) =>
    logs.write({ type: 2, user_id: 3, username: 'ann', content: 'x', ...some });
  const contents = async (some: Record<string, unknown>) =>
    (await logs.list(filters(some), first)).items.map(({ content }) => content);

  it('stores a row as given, with the present time unless it has one', async () => {
    await write({ content: 'a', quota: 7, channel_id: 9, is_stream: 1 });
    await write({ content: 'b', created_at: now - 10 });
    const { items, total } = await logs.list(filters(), first);
    expect(total).toBe(2);
    expect(items[0]).toMatchObject({
      content: 'a',
      created_at: now,
      quota: 7,
      channel: 9,
      channel_name: 'main',
      is_stream: true,
      user_id: 3,
    });
    expect(items[1]).toMatchObject({ content: 'b', channel_name: '' });
  });

  it('is filtered by every field that the API names', async () => {
    await write({
      content: 'a',
      type: 5,
      model_name: 'gpt-4o',
      token_name: 't',
      group: 'vip',
      request_id: 'r1',
    });
    await write({ content: 'b', user_id: 4, username: 'bob', model_name: 'gpt-4o-mini', channel_id: 9 });
    await write({ content: 'c', created_at: now - 1_000, model_name: 'o1' });
    expect(await contents({ type: 5 })).toEqual(['a']);
    expect(await contents({ type: 0 })).toEqual(['b', 'a', 'c']);
    expect(await contents({ username: 'bob' })).toEqual(['b']);
    expect(await contents({ token_name: 't' })).toEqual(['a']);
    expect(await contents({ model_name: 'gpt-4o' })).toEqual(['a']);
    expect(await contents({ model_name: 'gpt%' })).toEqual(['b', 'a']);
    expect(await contents({ channel: 9 })).toEqual(['b']);
    expect(await contents({ group: 'vip' })).toEqual(['a']);
    expect(await contents({ request_id: 'r1' })).toEqual(['a']);
    expect(await contents({ start_timestamp: now - 10 })).toEqual(['b', 'a']);
    expect(await contents({ end_timestamp: now - 10 })).toEqual(['c']);
  });

  it('pages from 1, and takes page 0 for the first', async () => {
    for (const content of ['a', 'b', 'c']) await write({ content });
    const page = async (number: number) =>
      (await logs.list(filters(), { page: number, pageSize: 2 })).items.map(({ content }) => content);
    expect(await page(1)).toEqual(['c', 'b']);
    expect(await page(2)).toEqual(['a']);
    expect(await page(0)).toEqual(['c', 'b']);
  });

  describe('of a user', () => {
    it('shows their own rows only, without the operators’ part', async () => {
      const other = JSON.stringify({ frt: 5, admin_info: { use_channel: ['9'] } });
      await write({ content: 'mine', channel_id: 9, other });
      await write({ content: 'theirs', user_id: 4, username: 'bob' });
      const own = await logs.ownList(3, filters(), first);
      expect(own.items).toHaveLength(1);
      expect(own.items[0]).toMatchObject({ content: 'mine', channel_name: '', other: '{"frt":5}' });
      expect((await logs.ownSearch(3, 'theirs')).length).toBe(0);
      expect((await logs.ownSearch(3, 'mi')).map(({ channel_name }) => channel_name)).toEqual(['']);
    });

    it('cannot be widened to another user by a filter', async () => {
      await write({ content: 'theirs', user_id: 4, username: 'bob', channel_id: 9, quota: 5 });
      const widened = { ...filters({ username: 'bob', channel: 9 }) };
      expect((await logs.ownList(3, widened, first)).items).toEqual([]);
      expect((await logs.ownStat(3, widened)).quota).toBe(0);
    });
  });

  it('sums consumption; rpm and tpm are those of the last minute and ignore the times', async () => {
    await write({ quota: 10, prompt_tokens: 3, completion_tokens: 4 });
    await write({ quota: 5, created_at: now - 3_600 });
    await write({ quota: 99, type: 1 });
    await write({ quota: 1, user_id: 4, username: 'bob', prompt_tokens: 1 });
    expect(await logs.stat(filters())).toEqual({
      quota: 16,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 8,
    });
    expect(await logs.stat(filters({ end_timestamp: now - 100, type: 2 }))).toEqual({
      quota: 5,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 8,
    });
    expect(await logs.ownStat(4, filters())).toEqual({
      quota: 1,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 1,
      tpm: 1,
    });
  });

  it('names the payer: rows, receipts and sums have the present name of the team', async () => {
    const made = { owner_id: 3, group: 'default', status: 1, created_time: 1 };
    const four = await teams.create(db, { ...made, name: 'Four', account_id: 104 });
    const five = await teams.create(db, { ...made, name: 'Five', account_id: 105 });
    await write({ content: 'own', quota: 10 });
    await write({ content: 'four', quota: 5, team_id: four, request_id: 'paid' });
    await write({ content: 'five', quota: 2, team_id: five });
    await write({ content: 'bob', quota: 1, team_id: five, user_id: 4, username: 'bob' });
    const paid = async (payer: string) => {
      const { items } = await logs.ownList(3, filters({ payer }), first);
      const { quota, team_quota } = await logs.ownStat(3, filters({ payer }));
      return [items.map(({ content, team_name }) => [content, team_name]), quota, team_quota];
    };
    expect(await paid('user')).toEqual([[['own', '']], 10, 0]);
    expect(await paid('team')).toEqual([
      [
        ['five', 'Five'],
        ['four', 'Four'],
      ],
      7,
      7,
    ]);
    expect(await paid(String(four))).toEqual([[['four', 'Four']], 5, 5]);
    expect(await paid('')).toMatchObject([{ length: 3 }, 17, 7]);
    // An invalid payer does not filter, like every invalid filter of the log.
    expect(await paid("' or 1=1")).toMatchObject([{ length: 3 }, 17, 7]);
    expect(await logs.stat(filters({ payer: String(five) }))).toMatchObject({ quota: 3, team_quota: 3 });

    await teams.update(db, four, { name: 'Renamed' });
    expect((await logs.list(filters({ payer: String(four) }), first)).items).toMatchObject([
      { team_name: 'Renamed' },
    ]);
    const receipts = createReceipts({ db, channelName: () => '', signed: { ofTxns: async () => [] } });
    const reader = { id: 3, role: role.common };
    expect(await receipts.find(reader, 'paid')).toMatchObject({ team_id: four, team_name: 'Renamed' });
  });

  it('is searched by type or by the beginning of the content', async () => {
    await write({ type: 1, content: 'top-up' });
    await write({ type: 3, content: '1 thing' });
    await write({ type: 4, content: 'top secret' });
    expect((await logs.search('top')).map(({ type }) => type)).toEqual([4, 1]);
    expect((await logs.search('1')).map(({ type }) => type)).toEqual([3, 1]);
  });

  it('deletes what is older than a given time', async () => {
    await write({ created_at: now - 100 });
    await write({ created_at: now - 50 });
    expect(await logs.remove(now - 50)).toBe(1);
    expect((await logs.list(filters(), first)).total).toBe(1);
  });

  it('deletes whole days beyond the retention, and their charges stay in the sums', async () => {
    const day = 86_400;
    const midnight = now - (now % day);
    await write({ created_at: midnight - 2 * day - 1, quota: 5 });
    await write({ created_at: midnight - 2 * day, quota: 2 });
    await createLogHours({ db, reports: db, clock: () => now * 1000 }).work(1);
    expect(await logs.expire(0)).toBe(0);
    expect(await logs.expire(2)).toBe(1);
    expect(await logs.expire(2)).toBe(0);
    expect((await logs.list(filters(), first)).items).toMatchObject([{ quota: 2 }]);
    expect((await logs.stat(filters())).quota).toBe(7);
    expect((await logs.stat(filters({ start_timestamp: midnight - 2 * day }))).quota).toBe(2);
  });

  it.each([
    ['a key', sha256, ['-12 ', '']],
    ['an imported key', (key: string) => sha256(`sk-${key}`), [' ']],
  ])('of %s is shown to its holder, in any spelling of the key', async (_kind, hashOf, ends) => {
    const key = 'a'.repeat(48);
    const id = await tokens.create(db, {
      user_id: 3,
      key_hash: hashOf(key),
      key_sealed: '',
      key_hint: '',
      status: 1,
      name: 't',
      created_time: now,
      expired_time: -1,
      unlimited_quota: 0,
      model_limits_enabled: 0,
      model_limits: '',
      allow_ips: '',
      group: '',
      team_id: 0,
    });
    await write({ content: 'by key', token_id: id, other: '{"admin_info":{}}' });
    await write({ content: 'by none' });
    for (const written of [key, `Bearer sk-${key}`, ...ends.map((end) => ` sk-${key}${end}`)]) {
      expect((await logs.ofToken(written)).map(({ content, other }) => content + other)).toEqual([
        'by key{}',
      ]);
    }
    for (const unknown of ['', 'sk-', 'b'.repeat(48)]) expect(await logs.ofToken(unknown)).toEqual([]);
  });

  it('stores texts that a database would refuse', async () => {
    await write({ content: 'nul\0', model_name: 'm'.repeat(5_000) });
    expect((await logRows.list(db, {}, { offset: 0, limit: 1 })).rows[0]!.content).toBe('nul');
  });
});

import { sql } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { Migration } from './writer.ts';

/**
 * `used_quota` of a user is what their own wallet paid. The part of teams is on the membership and is subtracted here.
 * Computed from the ledger, so it can be repeated.
 */
export const usedByOwnWallet: Migration = {
  name: '0019-used-by-own-wallet',
  steps: (db) => [() => writeUsed(db)],
};

async function writeUsed(db: Db): Promise<void> {
  const { rows } = await sql<{ id: number; total: number | string }>`
    select m.user_id as id, coalesce(s.total, 0) as total
    from (select distinct user_id from team_members where used_quota <> 0) m
    left join (select user_id, sum(-account_delta) as total from ledger
      where member_id = 0 and kind in ('usage', 'refund', 'rerate') and note not like '%"uncounted"%'
      group by user_id) s on s.user_id = m.user_id`.execute(db);
  for (const { id, total } of rows) {
    await sql`update users set used_quota = ${Number(total)} where id = ${id}`.execute(db);
  }
}

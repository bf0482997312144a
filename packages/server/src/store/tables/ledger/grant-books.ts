import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';

/** An account with figures that differ from its grants. */
export interface GrantMismatch {
  id: number;
  balance: number;
  granted: number;
  /** Sum of the rests of its grants. */
  rests: number;
  next_expiry: number;
  /** The first expiry of its grants; 0 for none. */
  soonest: number;
  expired: number;
  /** Sum of the rests that are kept for running requests. */
  kept: number;
}

/**
 * Accounts with a balance above the sum of their grants, or with other sums or times than their grants say. One
 * statement, so that all figures are of one moment.
 */
export async function mismatches(db: Db, limit = 20): Promise<GrantMismatch[]> {
  const { rows } = await sql<Record<keyof GrantMismatch, number | string>>`
    select * from (
      select a.id as id, a.balance as balance, a.granted as granted, a.next_expiry as next_expiry, a.expired as expired,
        coalesce(g.rests, 0) as rests, coalesce(g.soonest, 0) as soonest, coalesce(g.kept, 0) as kept
      from accounts a left join (
        select account_id, sum(remain) as rests, sum(case when kept_for <> '' then remain else 0 end) as kept,
          min(case when expires_at > 0 and kept_for = '' then expires_at end) as soonest
        from grants where remain > 0 group by account_id
      ) g on g.account_id = a.id
    ) s where balance > granted or granted <> rests or expired <> kept or next_expiry <> soonest
    order by id limit ${sql.lit(limit)}`.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    balance: Number(row.balance),
    granted: Number(row.granted),
    rests: Number(row.rests),
    next_expiry: Number(row.next_expiry),
    soonest: Number(row.soonest),
    expired: Number(row.expired),
    kept: Number(row.kept),
  }));
}

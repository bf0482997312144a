import { userStatus } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';

/** Number of accounts of a role with each second factor. */
export interface FactorStats {
  role: number;
  users: number;
  authenticator: number;
  passkey: number;
  /** With at least one of the two. */
  protected: number;
}

type Row = Record<keyof FactorStats, number | string>;

/** Accounts that can sign in, by role, the highest first. */
export async function countFactors(db: Db): Promise<FactorStats[]> {
  const app = sql`case when a.user_id is null then 0 else 1 end`;
  const key = sql`case when p.user_id is null then 0 else 1 end`;
  const { rows } = await sql<Row>`
    select u.role as role, count(*) as users, sum(${app}) as authenticator, sum(${key}) as passkey,
      sum(case when a.user_id is null and p.user_id is null then 0 else 1 end) as protected
    from users u
    left join authenticators a on a.user_id = u.id and a.confirmed_time > 0
    left join (select distinct user_id from passkeys) p on p.user_id = u.id
    where u.deleted_at is null and u.status = ${userStatus.enabled}
    group by u.role order by u.role desc`.execute(db);
  return rows.map((row) => ({
    role: Number(row.role),
    users: Number(row.users),
    authenticator: Number(row.authenticator),
    passkey: Number(row.passkey),
    protected: Number(row.protected),
  }));
}

/** Everything that belongs to the second factor of one user. */
const tables = ['authenticators', 'recovery_codes', 'factor_tries', 'passkeys', 'sign_in_tickets'] as const;

/** Deletes all of a user's second factors, with counted tries and pending sign-ins. */
export async function eraseFactors(db: Db, userId: number): Promise<void> {
  for (const table of tables) await db.deleteFrom(table).where('user_id', '=', userId).execute();
}

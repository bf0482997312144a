import type { Db } from '../../dialects/types.ts';
import { batches } from '../shared.ts';

/** A payer: a person or a team. */
export interface Payer {
  id: number;
  name: string;
  balance: number;
}

async function withBalances(db: Db, table: 'users' | 'teams', ids: readonly number[]): Promise<Payer[]> {
  const found: Payer[] = [];
  for (const some of batches(ids)) {
    const rows =
      table === 'users'
        ? db
            .selectFrom('users')
            .innerJoin('accounts', 'accounts.id', 'users.account_id')
            .select(['users.id', 'users.username as name', 'accounts.balance'])
            .where('users.id', 'in', some)
        : db
            .selectFrom('teams')
            .innerJoin('accounts', 'accounts.id', 'teams.account_id')
            .select(['teams.id', 'teams.name', 'accounts.balance'])
            .where('teams.id', 'in', some);
    found.push(...(await rows.execute()));
  }
  return found;
}

/** People with their balances, without deleted ones. */
export const people = (db: Db, ids: readonly number[]): Promise<Payer[]> => withBalances(db, 'users', ids);

/** Teams with their balances. */
export const teamWallets = (db: Db, ids: readonly number[]): Promise<Payer[]> =>
  withBalances(db, 'teams', ids);

/** Names of keys. */
export async function keyNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const some of batches(ids)) {
    const rows = await db.selectFrom('tokens').select(['id', 'name']).where('id', 'in', some).execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

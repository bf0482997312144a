import type { Db } from '../../dialects/types.ts';

/** Everything that belongs to the second factor of one user. */
const tables = ['authenticators', 'recovery_codes', 'factor_tries', 'passkeys', 'sign_in_tickets'] as const;

/** Deletes all of a user's second factors, with what was counted and begun. */
export async function eraseFactors(db: Db, userId: number): Promise<void> {
  for (const table of tables) await db.deleteFrom(table).where('user_id', '=', userId).execute();
}

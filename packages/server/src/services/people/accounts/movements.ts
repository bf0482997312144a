import { AppError, type InputOf, type MovementData, type userHistoryApi } from '@tollgate/contract';
import { ledger, users } from '../../../store/index.ts';
import type { AccountsDeps, Actor } from './deps.ts';

type Query = InputOf<typeof userHistoryApi.movements>;

/** Kinds whose note says something; notes of the other kinds repeat the kind. */
const explained: ReadonlySet<string> = new Set(['adjust', 'opening']);

/**
 * Changes of a user's balance other than usage, newest first, for administrators of higher rank. Throws
 * `user_not_found`.
 */
export async function listMovements(
  deps: Pick<AccountsDeps, 'db' | 'guard'>,
  actor: Actor,
  { id, before, limit }: Query,
): Promise<{ items: MovementData[]; next: number | null }> {
  const user = await users.view(deps.db, id);
  if (!user) throw new AppError('user_not_found');
  if (user.id !== actor.id) deps.guard.authorize(actor, 'read', user);
  const rows = await ledger.movementsOf(deps.db, user.account_id, { ...(before > 0 && { before }), limit });
  const items = rows.map((row) => ({
    id: row.id,
    at: row.at,
    kind: row.kind,
    amount: row.account_delta,
    reward: row.reward_delta,
    reason: explained.has(row.kind) ? row.note : '',
    actor_id: row.actor_id,
    actor_name: row.actor_name ?? '',
  }));
  return { items, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

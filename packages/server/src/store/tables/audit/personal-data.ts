import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { inIdRange, onSides } from '../log-archive/sides.ts';

/** Rows of one user after the last read row, oldest first. */
export interface Behind {
  userId: number;
  /** The id of that row; 0 for the first ones. */
  after: number;
  limit: number;
}

// Columns are listed one by one, to exclude secrets and data about others.

/** The account itself, without the password and administrators' remarks. */
export const account = (db: Db, userId: number) =>
  db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select([
      'users.id',
      'users.username',
      'users.display_name',
      'users.role',
      'users.status',
      'users.email',
      'users.group',
      'accounts.balance',
      'accounts.held',
      'users.used_quota',
      'users.request_count',
      'users.former_requests',
      'users.aff_code',
      'users.aff_count',
      'users.aff_quota',
      'users.aff_history',
      'users.inviter_id',
      'users.setting',
      'users.created_time',
    ])
    .where('users.id', '=', userId)
    .execute();

/** Other sites that the account can be signed in through. */
export const signInWays = (db: Db, userId: number) =>
  db
    .selectFrom('identities')
    .select(['provider', 'subject', 'created_time'])
    .where('user_id', '=', userId)
    .execute();

/** What the company's directory has sent. */
export const inDirectory = (db: Db, userId: number) =>
  db
    .selectFrom('scim_users')
    .select(['profile', 'external_id', 'active', 'created_time', 'changed_time'])
    .where('user_id', '=', userId)
    .execute();

export const passkeys = (db: Db, userId: number) =>
  db
    .selectFrom('passkeys')
    .select(['name', 'transports', 'backed_up', 'created_time', 'used_time'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();

export const sessions = (db: Db, userId: number) =>
  db
    .selectFrom('sessions')
    .select(['created_time', 'seen_time', 'expires_time', 'ip', 'user_agent'])
    .where('user_id', '=', userId)
    .orderBy('created_time')
    .execute();

/** Without the tokens themselves: only their hashes are stored. */
export const accessTokens = (db: Db, userId: number) =>
  db
    .selectFrom('access_tokens')
    .select(['name', 'scope', 'created_time', 'used_time', 'expires_time'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();

/** Present and former teams of the user, with their names there. */
export const memberships = (db: Db, userId: number) =>
  db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_members.team_id')
    .select([
      'team_members.team_id',
      'teams.name',
      'team_members.role',
      'team_members.limit_period',
      'team_members.limit_quota',
      'team_members.used_quota',
      'team_members.joined_time',
      'team_members.left_time',
    ])
    .where('team_members.user_id', '=', userId)
    .orderBy('team_members.id')
    .execute();

/** Keys, including deleted ones, with the fields shown in lists. */
export const keys = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('tokens')
    .select(['id', 'name', 'key_hint', 'status', 'group', 'team_id', 'created_time', 'accessed_time'])
    .select(['expired_time', 'remain_quota', 'unlimited_quota', 'used_quota', 'model_limits_enabled'])
    .select(['model_limits', 'allow_ips', 'cross_group_retry', 'regions', 'no_retention', 'deleted_at'])
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

export const payments = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('top_ups')
    .select(['id', 'trade_no', 'amount', 'quota', 'money', 'provider', 'payment_method', 'status'])
    .select(['create_time', 'complete_time', 'team_id', 'invoice', 'credit_note'])
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Codes that the user redeemed. They are single-use, so they are no longer secret. */
export const redemptions = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('redemptions')
    .select(['id', 'name', 'quota', 'redeemed_time'])
    .where('used_user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Movements of the balance other than use, which is in the log. */
export const balance = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('ledger')
    .innerJoin('users', 'users.account_id', 'ledger.account_id')
    .select(['ledger.id', 'ledger.txn', 'ledger.kind', 'ledger.at', 'ledger.account_delta'])
    .select(['ledger.reward_delta', 'ledger.note'])
    .where('users.id', '=', userId)
    .where('ledger.kind', '<>', sql.lit('usage'))
    .where('ledger.id', '>', after)
    .orderBy('ledger.id')
    .limit(limit)
    .execute();

export const tasks = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('tasks')
    .select(['id', 'task_id', 'platform', 'action', 'model', 'team_id', 'state', 'progress', 'quota'])
    .select(['request_id', 'request', 'result', 'reason', 'submit_time', 'start_time', 'finish_time'])
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Files that vendors keep for the user: their descriptions, not their content. */
export const files = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('vendor_objects')
    .select(['id', 'kind', 'purpose', 'bytes', 'expires_at', 'body'])
    .where('user_id', '=', userId)
    .where('kind', 'in', ['file', 'anthropic-file', 'gemini-file', 'cache'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Audited actions on the account, by its owner or by others. */
export const audit = (db: Db, { userId, after, limit }: Behind) =>
  db
    .selectFrom('audit')
    .select(['id', 'at', 'kind', 'outcome', 'actor_id', 'target_type', 'target_id', 'target_name'])
    .select(['method', 'ip', 'user_agent', 'detail'])
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Rows of the log after a moment (Unix seconds) and, within it, after an id: the order of its index. */
export async function log(db: Db, { userId, after, limit, at }: Behind & { at: number }) {
  const found = await onSides(db, ({ db: one, ids }) =>
    one
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', userId)
      .where(sql<boolean>`created_at >= ${at} ${inIdRange(ids)}`)
      .where((eb) => eb.or([eb('created_at', '>', at), eb('id', '>', after)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  if (found.length === 1) return found[0]!;
  return found
    .flat()
    .toSorted((a, b) => a.created_at - b.created_at || a.id - b.id)
    .slice(0, limit);
}

import type { Language, ManagedUserData, Page, UserData, UserSetting } from '@tollgate/contract';
import type { VerbContext } from '../../money/ledger/index.ts';
import { type DirectoryEntry, endLeaver, enterFromDirectory, follow } from './company.ts';
import { createMember, createRoot, createUser, type NewMember } from './create.ts';
import { checkNewName } from './usernames.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { adjustQuota, editUser, type QuotaChange, type UserEdit } from './edit.ts';
import { askReset, bindEmail, type ProvenAddress, resetPassword, sendCode } from './email.ts';
import {
  bindIdentity,
  findByIdentity,
  type ForeignIdentity,
  registerForeign,
  unbindIdentity,
} from './identity.ts';
import { inviteCode, transferReward } from './invite.ts';
import { endUserSessions, eraseUser, manageUser, type StateAction } from './manage.ts';
import { findUsers, readSelf, readUser, type UserQuery } from './read.ts';
import { register, type Registration } from './register.ts';
import { editSelf, removeSelf, type Requester, saveLanguage, saveSetting, type SelfEdit } from './self.ts';
import { type OwnWays, ownWays } from './ways.ts';
import { AppError, type InputOf, type MovementData, type userHistoryApi } from '@tollgate/contract';
import { type Db, ledger, users } from '../../../store/index.ts';

type Query = InputOf<typeof userHistoryApi.movements>;

/** Kinds of entries with a note that adds information; other notes repeat the kind. */
const explained: ReadonlySet<string> = new Set(['adjust', 'topup_refund', 'opening']);

/**
 * Changes of a user's balance other than usage, newest first, for administrators of higher rank. Throws
 * `user_not_found`.
 */
async function listMovements(
  deps: Pick<AccountsDeps, 'db' | 'guard'>,
  actor: Actor,
  { id, before, limit }: Query,
): Promise<{ items: MovementData[]; next: number | null }> {
  const user = await users.view(deps.db, id);
  if (!user) throw new AppError('user_not_found');
  if (user.id !== actor.id) deps.guard.authorize(actor, 'read', user);
  const rows = await ledger.listMovements(deps.db, user.account_id, { ...(before > 0 && { before }), limit });
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

export { directoryProvider, type ForeignIdentity } from './identity.ts';
export { userMark } from './changing.ts';
export { type AccountMail, writeAccountMail } from './mails.ts';

/** Users and their accounts: sign-up, changes and deletion. Every function throws its refusal as an AppError. */
export interface Accounts {
  register(input: Registration): Promise<void>;
  /** Sends a code to an address, or a mail that the address has an account. */
  sendCode(email: string, language: Language): Promise<void>;
  /** Sends a link for a new password if an account has the address. */
  askReset(email: string, language: Language): Promise<void>;
  /** Returns a new password for the token of such a link. */
  resetPassword(link: { email: string; token: string }, language: Language): Promise<string>;
  bindEmail(actor: Actor, proven: ProvenAddress, language: Language): Promise<void>;
  /** The user with an identity of another site; undefined for a new one. */
  findByIdentity(
    foreign: Pick<ForeignIdentity, 'provider' | 'subject'>,
  ): Promise<{ id: number; role: number } | undefined>;
  /** Returns the id of the new user. */
  registerForeign(foreign: ForeignIdentity, how: Parameters<typeof registerForeign>[2]): Promise<number>;
  /** Makes a user what the rules of their provider say (`follow`). */
  follow(
    foreign: Parameters<typeof follow>[1],
    userId: number,
    wanted: Parameters<typeof follow>[3],
  ): Promise<void>;
  /** Disables a user whom no rule of their provider matches any more. */
  endLeaver(userId: number): Promise<void>;
  /** Writes what the company's directory says about a user; `also` runs in the same transaction. */
  enterFromDirectory(userId: number, entry: DirectoryEntry, also: (db: Db) => Promise<void>): Promise<void>;
  bindIdentity(userId: number, foreign: ForeignIdentity): Promise<void>;
  unbindIdentity(actor: Actor, provider: string): Promise<void>;
  /** The enabled ways to sign in, besides other sites. */
  ownWays(): OwnWays;
  createRoot(
    input: { username: string; password: string },
    also: (money: VerbContext) => Promise<void>,
  ): Promise<number>;
  createUser(
    actor: Actor,
    input: { username: string; password: string; displayName: string; role?: number | undefined },
  ): Promise<void>;
  /** Creates an ordinary user with a generated password; `also` runs in the same transaction. Returns the id. */
  createMember(
    person: NewMember,
    also: (money: VerbContext, userId: number) => Promise<void>,
  ): Promise<number>;
  /** Throws `username_unclear`, `username_taken`. */
  checkNewName(username: string): Promise<void>;
  self(id: number): Promise<UserData>;
  get(actor: Actor, id: number): Promise<ManagedUserData>;
  /** Movements of a user's balance other than usage. */
  movements(actor: Actor, query: Parameters<typeof listMovements>[2]): ReturnType<typeof listMovements>;
  find(actor: Actor, query: UserQuery): Promise<Page<ManagedUserData>>;
  /** `requestId` names the ledger entry of a changed balance, so that a repeated call books it once. */
  edit(actor: Actor, id: number, edit: UserEdit, requestId: string): Promise<void>;
  manage(actor: Actor, id: number, action: StateAction): Promise<{ role: number; status: number }>;
  adjustQuota(actor: Actor, id: number, adjustment: QuotaChange): Promise<void>;
  /** Signs a user of lower rank out everywhere; their access token and their keys stay valid. */
  endSessions(actor: Actor, id: number): Promise<void>;
  erase(actor: Actor, id: number): Promise<void>;
  editSelf(actor: Actor, edit: SelfEdit, requester: Requester): Promise<void>;
  removeSelf(actor: Actor): Promise<void>;
  saveSetting(actor: Actor, setting: UserSetting): Promise<void>;
  /** Stores the language of a user's mails and webhooks; '' for the site's. */
  saveLanguage(actor: Actor, language: string): Promise<void>;
  inviteCode(userId: number): Promise<string>;
  transferReward(actor: Actor, amount: number, requestId: string): Promise<void>;
}

export const createAccounts = (deps: AccountsDeps): Accounts => ({
  register: (input) => register(deps, input),
  sendCode: (email, language) => sendCode(deps, email, language),
  askReset: (email, language) => askReset(deps, email, language),
  resetPassword: (link, language) => resetPassword(deps, link, language),
  bindEmail: (actor, proven, language) => bindEmail(deps, actor, proven, language),
  findByIdentity: (foreign) => findByIdentity(deps, foreign),
  registerForeign: (foreign, how) => registerForeign(deps, foreign, how),
  follow: (foreign, userId, wanted) => follow(deps, foreign, userId, wanted),
  endLeaver: (userId) => endLeaver(deps, userId),
  enterFromDirectory: (userId, entry, also) => enterFromDirectory(deps, userId, entry, also),
  bindIdentity: (userId, foreign) => bindIdentity(deps, userId, foreign),
  ownWays: () => ownWays(deps),
  unbindIdentity: (actor, provider) => unbindIdentity(deps, actor, provider),
  createRoot: (input, also) => createRoot(deps, input, also),
  createMember: (person, also) => createMember(deps, person, also),
  checkNewName: (username) => checkNewName(deps.db, username, { isOwnChoice: false }),
  createUser: (actor, input) => createUser(deps, actor, input),
  self: (id) => readSelf(deps, id),
  get: (actor, id) => readUser(deps, actor, id),
  movements: (actor, query) => listMovements(deps, actor, query),
  find: (actor, query) => findUsers(deps, actor, query),
  edit: (actor, id, edit, requestId) => editUser(deps, actor, id, edit, requestId),
  manage: (actor, id, action) => manageUser(deps, actor, id, action),
  adjustQuota: (actor, id, adjustment) => adjustQuota(deps, actor, id, adjustment),
  endSessions: (actor, id) => endUserSessions(deps, actor, id),
  erase: (actor, id) => eraseUser(deps, actor, id),
  editSelf: (actor, edit, requester) => editSelf(deps, actor, edit, requester),
  removeSelf: (actor) => removeSelf(deps, actor),
  saveSetting: (actor, setting) => saveSetting(deps, actor, setting),
  saveLanguage: (actor, language) => saveLanguage(deps, actor, language),
  inviteCode: (userId) => inviteCode(deps, userId),
  transferReward: (actor, amount, requestId) => transferReward(deps, actor, amount, requestId),
});

import {
  AppError,
  type FactorStatus,
  type Language,
  type NewCredential,
  type PasskeyData,
  type RoleFactors,
  type ShownCredential,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { keptLanguage } from '../../../lib/accept-language.ts';
import {
  authenticators,
  countFactors,
  inTransaction,
  passkeyChallenges,
  passkeys,
  recoveryCodes,
  signInTickets,
  users,
} from '../../../store/index.ts';
import { confirm, isCode, isProposedCode, type Proposal, propose } from './authenticator.ts';
import type { Question } from './challenges.ts';
import type { Actor, FactorsDeps } from './deps.ts';
import { createPasskeys, type Passkeys, type PublicKeyOptions } from './passkeys.ts';
import { createRecoveryCodes, type RecoveryCodes } from './recovery-codes.ts';
import { isLocked, checkCodeWithLimit } from './tries.ts';

/** The factors of an account; with one of them, signing in needs two steps. */
export interface Owned {
  authenticator: boolean;
  passkeys: number;
}

/** A user who changes their own factors, and the language of their mails. */
export interface Owner {
  id: number;
  username: string;
  language: Language;
}

export const isProtected = ({ authenticator, passkeys: count }: Owned): boolean => authenticator || count > 0;

/** Second factors: an authenticator app, recovery codes, passkeys (docs/compatibility.md#second-factor). */
export class Factors {
  private readonly deps: FactorsDeps & { recovery: RecoveryCodes };
  private readonly passkeys: Passkeys;

  constructor(deps: FactorsDeps) {
    this.deps = { ...deps, recovery: createRecoveryCodes(deps.masterKey) };
    this.passkeys = createPasskeys(deps);
  }

  async owned(userId: number): Promise<Owned> {
    const { db } = this.deps;
    const [app, keys] = [await authenticators.find(db, userId), await passkeys.ofUser(db, userId)];
    return { authenticator: app !== undefined && app.confirmed_time > 0, passkeys: keys.length };
  }

  async status(userId: number): Promise<Omit<FactorStatus, 'required'>> {
    const owned = await this.owned(userId);
    return {
      enabled: owned.authenticator,
      locked: await isLocked(this.deps, userId),
      backup_codes_remaining: isProtected(owned) ? await recoveryCodes.count(this.deps.db, userId) : 0,
      passkeys: owned.passkeys,
    };
  }

  /** True if passkeys can be used. */
  passkeysPossible(): boolean {
    return this.passkeys.isPossible();
  }

  /** Throws `second_factor_on`. */
  async setUp(owner: Owner): Promise<Proposal> {
    return propose(this.deps, owner, isProtected(await this.owned(owner.id)));
  }

  /** Activates the app. Throws `second_factor_wrong`, `second_factor_locked`, `second_factor_missing`. */
  async enable(owner: Owner, code: string): Promise<void> {
    await checkCodeWithLimit(this.deps, owner.id, () => isProposedCode(this.deps, owner.id, code));
    await confirm(this.deps, owner.id);
    await this.trace(owner, 'factorOn', 'authenticator');
  }

  /** Removes the app, and the recovery codes if there is no passkey. */
  async disable(owner: Owner): Promise<void> {
    if (!(await this.owned(owner.id)).authenticator) throw new AppError('second_factor_missing');
    await this.remove(owner.id, 'authenticator');
    await this.trace(owner, 'factorOff', 'authenticator');
  }

  /** Throws `second_factor_missing`. */
  async renewCodes(owner: Owner): Promise<string[]> {
    if (!isProtected(await this.owned(owner.id))) throw new AppError('second_factor_missing');
    const { db, recovery, log } = this.deps;
    const codes = await inTransaction(db, (trx) => recovery.make(trx, owner.id, { active: true }));
    log.info({ userId: owner.id }, 'a user made new recovery codes');
    await this.record('second_factor.add', owner, 'recovery codes');
    return codes;
  }

  /**
   * Checks a code of the app or a recovery code, and uses it up. Throws `second_factor_wrong`,
   * `second_factor_locked`, `second_factor_missing`.
   */
  async checkCode(userId: number, code: string): Promise<void> {
    if (!isProtected(await this.owned(userId))) throw new AppError('second_factor_missing');
    await checkCodeWithLimit(this.deps, userId, async () => {
      const used = await isCode(this.deps, userId, code);
      if (used === 'recovery') this.deps.log.warn({ userId }, 'a recovery code was used');
      return used !== false;
    });
  }

  beginPasskey(owner: Owner, browser: string): Promise<PublicKeyOptions> {
    return this.passkeys.beginRegistration(owner, browser);
  }

  /** Stores a new passkey; returns recovery codes if it is the first factor of the account. */
  async addPasskey(owner: Owner, browser: string, made: NewCredential, name: string): Promise<string[]> {
    const isFirst = !isProtected(await this.owned(owner.id));
    await this.passkeys.register(owner.id, browser, made, name);
    await this.trace(owner, 'factorOn', 'passkey');
    return isFirst ? this.renewCodes(owner) : [];
  }

  async listPasskeys(userId: number): Promise<PasskeyData[]> {
    return (await passkeys.ofUser(this.deps.db, userId)).map((row) => ({
      id: row.id,
      name: row.name,
      created_time: row.created_time,
      used_time: row.used_time,
      backed_up: row.backed_up === 1,
    }));
  }

  async renamePasskey(userId: number, id: number, name: string): Promise<void> {
    if (!(await passkeys.rename(this.deps.db, { id, user_id: userId, name })))
      throw new AppError('row_not_found');
  }

  /** Deletes one passkey, or all with id 0. Throws `row_not_found`. */
  async removePasskey(owner: Owner, id: number): Promise<void> {
    const { db } = this.deps;
    if (id === 0) await this.remove(owner.id, 'passkeys');
    else {
      if (!(await passkeys.remove(db, { id, user_id: owner.id }))) throw new AppError('row_not_found');
      await this.tidy(owner.id);
    }
    await this.trace(owner, 'factorOff', 'passkey');
  }

  /** Creates a passkey challenge; see `answerPasskey`. */
  askPasskey(question: Question): Promise<PublicKeyOptions> {
    return this.passkeys.ask(question);
  }

  /** The user whose passkey answered a challenge. Throws `passkey_refused`. */
  answerPasskey(question: Question, shown: ShownCredential): Promise<number> {
    return this.passkeys.answer(question, shown);
  }

  /** The number of accounts of each role with a second factor. */
  stats(): Promise<RoleFactors[]> {
    return countFactors(this.deps.db);
  }

  /** The factors of a user, for an administrator of higher rank. */
  async ofUser(actor: Actor, userId: number): Promise<Omit<FactorStatus, 'required'>> {
    if (actor.id !== userId) await this.target(actor, 'read', userId);
    return this.status(userId);
  }

  /** Removes a lost factor of a user of lower rank, for an administrator; the user is notified. */
  async reset(
    actor: Actor & { language: Language },
    userId: number,
    what: 'authenticator' | 'passkeys',
  ): Promise<void> {
    const target = await this.target(actor, 'reset-factor', userId);
    await this.remove(userId, what);
    await this.record('second_factor.remove', target, what);
    const { log } = this.deps;
    log.warn({ actorId: actor.id, userId, what }, 'an administrator reset a second factor');
    this.deps.writeTo(target.email, 'factorReset', keptLanguage(target.setting) ?? actor.language);
  }

  /** Deletes expired rows; returns their number. */
  async sweep(): Promise<number> {
    const { db, clock } = this.deps;
    const now = seconds(clock);
    return (await passkeyChallenges.removeExpired(db, now)) + (await signInTickets.removeExpired(db, now));
  }

  private async target(
    actor: Actor,
    action: 'read' | 'reset-factor',
    userId: number,
  ): Promise<users.UserRow> {
    const target = await users.find(this.deps.db, userId);
    if (!target) throw new AppError('user_not_found');
    this.deps.authorize(actor, action, target);
    return target;
  }

  private async remove(userId: number, what: 'authenticator' | 'passkeys'): Promise<void> {
    if (what === 'authenticator') await authenticators.remove(this.deps.db, userId);
    else await passkeys.removeAll(this.deps.db, userId);
    await this.tidy(userId);
  }

  /** Recovery codes exist only for accounts with another factor. */
  private async tidy(userId: number): Promise<void> {
    if (!isProtected(await this.owned(userId))) await recoveryCodes.removeAll(this.deps.db, userId);
  }

  /** Notifies the owner, the audit log and the process log that factors changed. */
  private async trace(owner: Owner, letter: 'factorOn' | 'factorOff', what: string): Promise<void> {
    this.deps.log.info({ userId: owner.id, letter, what }, 'a user changed their second factors');
    await this.record(letter === 'factorOn' ? 'second_factor.add' : 'second_factor.remove', owner, what);
    const user = await users.find(this.deps.db, owner.id);
    if (user) this.deps.writeTo(user.email, letter, owner.language);
  }

  private record(
    kind: 'second_factor.add' | 'second_factor.remove',
    { id, username }: Pick<Owner, 'id' | 'username'>,
    what: string,
  ): Promise<void> {
    const target = { type: 'user', id, name: username } as const;
    return this.deps.audit.record(this.deps.db, { kind, target, note: { what } });
  }
}

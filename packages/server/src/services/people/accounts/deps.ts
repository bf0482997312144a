import type { Language } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Db } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { BudgetRules } from '../../money/budgets/index.ts';
import type { Ledger } from '../../money/ledger/index.ts';
import type { MailCodes } from '../../site/mail-codes/index.ts';
import type { Mail } from '../../site/notify/index.ts';
import type { Settings } from '../../site/settings/index.ts';

/** The caller, as far as the rules need it. */
export interface Actor {
  id: number;
  username: string;
  role: number;
}

/** Actions on another user's account with special rules. */
type GuardedAction =
  | 'read'
  | 'edit'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'erase'
  | 'promote'
  | 'demote'
  | 'adjust'
  | 'end-sessions';

/**
 * Functions that accounts need from the services for passwords, sessions and rules (services/people/auth is above this
 * one).
 */
interface AccountGuard {
  /** Throws if `actor` may not do this to `target` (docs/compatibility.md#user-administration). */
  authorize(actor: Actor, action: GuardedAction, target: { id: number; role: number }): void;
  /** True if `actor` may read all of `target`: an administrator of higher rank. */
  mayRead(actor: Actor, target: { id: number; role: number }): boolean;
  hashPassword(password: string): Promise<string>;
  /** True if it is the user's current password. Throws while further attempts must wait. */
  isCurrentPassword(userId: number, given: string, ip: string): Promise<boolean>;
  /** True for a session that was opened a moment ago, which replaces the password of users without one. */
  isFreshSession(idHash: string | undefined): Promise<boolean>;
  /** Ends a user's sessions, except one. */
  endSessions(userId: number, exceptIdHash?: string): Promise<void>;
}

export interface AccountsDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  ledger: Pick<Ledger, 'change'>;
  audit: Pick<Audit, 'record'>;
  /** Read again when a new user gets budgets. */
  budgetRules: Pick<BudgetRules, 'reload'>;
  /** Encrypts the secrets in users' settings. */
  sealer: Sealer;
  guard: AccountGuard;
  /** The codes that verify mail addresses. */
  codes: MailCodes;
  mail: {
    /** True if mails can be sent. */
    isConfigured(): boolean;
    /**
     * Queues a mail without waiting until it is sent, so that the response time does not reveal whether there was
     * one.
     */
    send(mail: Mail): void;
  };
  /** Ids of the enabled ways to sign in through other sites. */
  openWays(): readonly string[];
  /** Called after the commit that changed a user: cached data of their tokens must be dropped. */
  forgetUser(userId: number): void;
  /** Called after the commit that registered a user. */
  welcome(user: { id: number; username: string }, language: Language): Promise<void>;
  clock: Clock;
  log: Log;
}

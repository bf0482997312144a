import type { Language } from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../store/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { MailCodes } from '../mail-codes/index.ts';
import type { Mail } from '../notify/index.ts';
import type { Settings } from '../settings/index.ts';

/** Who acts: as much of a caller as the rules need. */
export interface Actor {
  id: number;
  username: string;
  role: number;
}

/** Acts on another's account that have a rule of their own. */
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

/** What accounts need of those who know about passwords, sessions and rules (services/auth stands above this one). */
interface AccountGuard {
  /** Throws the refusal when `actor` may not do this to `target` (docs/compatibility.md#user-administration). */
  authorize(actor: Actor, action: GuardedAction, target: { id: number; role: number }): void;
  hashPassword(password: string): Promise<string>;
  /** True when the user's current password is right. Throws while somebody who guesses has to wait. */
  isCurrentPassword(userId: number, given: string, ip: string): Promise<boolean>;
  /** True for the session of somebody who signed in a moment ago, which stands for a password that they do not have. */
  isFreshSession(idHash: string | undefined): Promise<boolean>;
  /** Ends a user's sessions, all but one. */
  endSessions(userId: number, exceptIdHash?: string): Promise<void>;
}

export interface AccountsDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  ledger: Pick<Ledger, 'change'>;
  audit: Pick<Audit, 'record'>;
  /** Seals what users keep secret in their settings. */
  sealer: Sealer;
  guard: AccountGuard;
  /** The codes that prove whose an address is. */
  codes: MailCodes;
  mail: {
    /** True when mails can be sent at all. */
    isConfigured(): boolean;
    /** Hands a mail over; nobody waits until it is sent, so that no time tells whether there was one. */
    send(mail: Mail): void;
  };
  /** Ids of the ways through other sites that are open now. */
  openWays(): readonly string[];
  /** Told after the commit that a user changed: what is remembered of their tokens must go. */
  forgetUser(userId: number): void;
  /** Told after the commit that a person registered. */
  welcome(user: { id: number; username: string }, language: Language): Promise<void>;
  clock: Clock;
  log: Log;
}

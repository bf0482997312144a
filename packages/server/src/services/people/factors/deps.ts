import type { Language } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Db } from '../../../store/index.ts';
import type { AccountMail } from '../accounts/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Settings } from '../../site/settings/index.ts';

/** An administrator who acts on another user's factors. */
export interface Actor {
  id: number;
  role: number;
}

export interface FactorsDeps {
  db: Db;
  /** Encrypts the secrets of authenticator apps. */
  sealer: Sealer;
  masterKey: Buffer;
  settings: Pick<Settings, 'get'>;
  audit: Pick<Audit, 'record'>;
  /** Throws if `actor` may not read `target`, or not remove their factors. */
  authorize(actor: Actor, action: 'read' | 'reset-factor', target: Actor): void;
  /** Sends the owner of an account a mail that its factors changed, without waiting. */
  writeTo(email: string, letter: AccountMail, language: Language): void;
  clock: Clock;
  log: Log;
}

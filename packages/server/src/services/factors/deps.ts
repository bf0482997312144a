import type { Language } from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../store/index.ts';
import type { Letter } from '../accounts/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Settings } from '../settings/index.ts';

/** Who acts on somebody else's factors. */
export interface Actor {
  id: number;
  role: number;
}

export interface FactorsDeps {
  db: Db;
  /** Seals the secrets of authenticator apps. */
  sealer: Sealer;
  masterKey: Buffer;
  settings: Pick<Settings, 'get'>;
  audit: Pick<Audit, 'record'>;
  /** Throws the refusal when `actor` may not read of `target`, or not take their factors away. */
  authorize(actor: Actor, action: 'read' | 'reset-factor', target: Actor): void;
  /** Writes to the owner of an account that its factors changed; nobody waits for it. */
  writeTo(email: string, letter: Letter, language: Language): void;
  clock: Clock;
  log: Log;
}

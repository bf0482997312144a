import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { changeMarks, type Db } from '../../../store/index.ts';
import type { Audit, AuditTarget } from '../../site/audit/index.ts';
import type { Ledger, VerbContext } from '../../money/ledger/index.ts';
import type { KeyResolver } from './resolve.ts';

export interface TokensDeps {
  db: Db;
  /** The relay's cache of keys; notified of every change. */
  keys: Pick<KeyResolver, 'forgetToken'>;
  ledger: Pick<Ledger, 'change'>;
  audit: Pick<Audit, 'record' | 'recordOnce'>;
  sealer: Sealer;
  /** Stores hashes only: a key is shown at its creation and never again. */
  hashOnly: boolean;
  /** True if a user of `userGroup` may choose `group` for a token. */
  mayUseGroup(userGroup: string, group: string): boolean;
  /** Group of the first token of a new user; '' for the user's own. */
  firstGroup(): string;
  clock: Clock;
  log: Log;
}

/** A token in the audit log: never its key. */
export const targetOf = ({ id, name }: { id: number; name: string }): AuditTarget => ({
  type: 'token',
  id,
  name,
});

/** The change mark of one token. */
export const tokenMark = (id: number): string => `token:${id}`;

/** Runs a change of one token with its mark in one transaction; afterwards no cache has the key's former data. */
export async function changingToken<T>(
  { ledger, keys }: Pick<TokensDeps, 'ledger' | 'keys'>,
  id: number,
  work: (money: VerbContext) => Promise<T>,
): Promise<T> {
  const result = await ledger.change(async (money) => {
    const done = await work(money);
    // Last, because a concurrent transaction with the same mark waits for it.
    await changeMarks.mark(money.db, [tokenMark(id)]);
    return done;
  });
  keys.forgetToken(id);
  return result;
}

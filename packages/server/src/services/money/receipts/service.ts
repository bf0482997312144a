import { windowAt } from '../../../lib/calendar-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { bookWindows, type Db, inTransaction, ledgerMonths, receipts } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { ChainDeps } from './chain.ts';
import type { ReceiptJwk } from './document.ts';
import type { ReceiptMonth } from './month.ts';

/** After this time all entries with ids below one that was seen are committed. */
const settledMs = 120_000;
/** Seconds by which the times of entries may lag behind their ids. */
const lag = 600;

export interface SignedReceipts {
  /** Gives entries their receipts until there are none left, or `mayContinue` is false. */
  seal(mayContinue: () => boolean): Promise<void>;
  /** Lines of the receipts of a wallet's entries with these names; without those that have none yet. */
  ofTxns(accountId: number, txns: readonly string[]): Promise<string[]>;
  /** The file of a month, a line for each receipt. Throws `row_not_found` if the site has never signed one. */
  month(asked: ReceiptMonth): AsyncGenerator<string>;
  /** The public keys. */
  keys(): Promise<ReceiptJwk[]>;
  /** Signs with a new key from now on; returns its id. */
  rotate(): Promise<string>;
}

export interface SignedReceiptsDeps {
  db: Db;
  /** A connection for reading many rows. */
  reports: Db;
  sealer: Sealer;
  settings: Pick<Settings, 'get'>;
  audit: Pick<Audit, 'record'>;
  /** True if no other process writes to the database: its entries are committed in the order of their ids. */
  isAlone: boolean;
  clock: Clock;
}

/**
 * Signed receipts of ledger entries. What needs the signing code is loaded at the first use, because few sites sign. The
 * first chain begins with the month in which the setting was turned on. While it is off no receipts are made; later they
 * are made for all entries since.
 */
export function createSignedReceipts(deps: SignedReceiptsDeps): SignedReceipts {
  const { db, reports, settings, isAlone, clock } = deps;
  const chain: ChainDeps = { db, reports, sealer: deps.sealer, now: () => seconds(clock) };
  /** Newest entries that were seen, and when (ms). */
  const seen: { id: number; at: number }[] = [];

  /** The newest entry before which all are committed. */
  const settledUpTo = async (): Promise<number> => {
    const id = await bookWindows.newestId(db);
    if (isAlone) return id;
    const now = clock();
    // A clock that was set back begins again.
    if (seen.some(({ at }) => at > now)) seen.length = 0;
    if (seen.at(-1)?.id !== id) seen.push({ id, at: now });
    while (seen[1] && now - seen[1].at >= settledMs) seen.shift();
    const [oldest] = seen;
    return oldest && now - oldest.at >= settledMs ? oldest.id : 0;
  };

  const begin = async (): Promise<void> => {
    const newest = await bookWindows.newestId(db);
    const { start } = windowAt('month', settings.get('AlarmTimeZone'), seconds(clock));
    await receipts.begin(db, (await ledgerMonths.firstIdAt(reports, start - lag, newest)) - 1);
  };

  return {
    async seal(mayContinue) {
      if (!settings.get('SignedReceipts')) return;
      if ((await receipts.sealedUpTo(db)) === undefined) await begin();
      const end = await settledUpTo();
      const { sealNext } = await import('./chain.ts');
      while (mayContinue() && (await sealNext(chain, end)));
    },
    async ofTxns(accountId, txns) {
      const found = await receipts.ofTxns(db, accountId, txns);
      if (found.length === 0) return [];
      const { lineOf } = await import('./document.ts');
      return found.map(lineOf);
    },
    async *month(asked) {
      const { monthLines } = await import('./month.ts');
      yield* monthLines(chain, asked);
    },
    async keys() {
      const { listKeys } = await import('./keys.ts');
      return listKeys(db);
    },
    async rotate() {
      const { rotateSigningKey } = await import('./keys.ts');
      return inTransaction(db, async (trx) => {
        const { kid } = await rotateSigningKey(trx, deps.sealer, seconds(clock));
        await deps.audit.record(trx, {
          target: { type: 'setting', id: 'SignedReceipts' },
          note: { key: kid },
        });
        return kid;
      });
    },
  };
}

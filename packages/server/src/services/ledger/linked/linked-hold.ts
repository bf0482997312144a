import { silentResolvers } from '../engines/batch.ts';
import type { PayerIds } from '../engines/engine.ts';
import type { SeenRows } from '../engines/seen-figures.ts';

/** A hold whose books another process keeps. */
export interface LinkedHold {
  /** Tells the holds apart that one request takes. */
  readonly serial: number;
  readonly accountId: number;
  /** Quota units that were granted before the books had them; 0 once they have answered, and of any other hold. */
  early: number;
  /** Resolves when the hold is durable. */
  readonly durable: PromiseWithResolvers<void>;
  isWritten: boolean;
  /** Its settlement is on its way. */
  isSettling: boolean;
  /** Why it does not stand. */
  failed: Error | undefined;
  /** Ends it when nothing is heard of it. */
  late: NodeJS.Timeout | undefined;
}

export const newHold = (serial: number, accountId: number, early: number): LinkedHold => ({
  serial,
  accountId,
  early,
  durable: silentResolvers(),
  isWritten: false,
  isSettling: false,
  failed: undefined,
  late: undefined,
});

/** What an answer tells of a payer whom nothing but the account limits. */
export function seenRowsOf({ accountId, tokenId = 0, memberId = 0 }: PayerIds, free: number): SeenRows {
  const unlimited = (id: number) => (id === 0 ? [] : [{ id, unlimited: true }]);
  return {
    accounts: [{ id: accountId, balance: free, held: 0 }],
    tokens: unlimited(tokenId),
    members: unlimited(memberId),
  };
}

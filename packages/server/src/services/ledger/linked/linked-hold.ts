import { silentResolvers } from '../engines/batch.ts';
import type { PayerIds } from '../engines/engine.ts';

/** A hold whose books another process keeps. */
export interface LinkedHold {
  /** Tells the holds apart that one request takes. */
  readonly serial: number;
  readonly payer: PayerIds;
  /** Quota units that were granted before the books had them; 0 once they have answered, and of any other hold. */
  early: number;
  /** Resolves when the hold is durable. */
  readonly durable: PromiseWithResolvers<void>;
  isWritten: boolean;
  /** Its settlement is on its way. */
  isSettling: boolean;
  /** Why it does not stand. */
  failed: Error | undefined;
  /** Calls off what ends it when nothing is heard of it. */
  off: (() => void) | undefined;
}

export const newHold = (serial: number, payer: PayerIds, early: number): LinkedHold => ({
  serial,
  payer,
  early,
  durable: silentResolvers(),
  isWritten: false,
  isSettling: false,
  failed: undefined,
  off: undefined,
});

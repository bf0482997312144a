import { handledResolvers } from '../engines/batch.ts';
import type { PayerIds } from '../engines/engine.ts';

/** A hold whose books another process keeps. */
export interface LinkedHold {
  /** Numbers the holds that one request takes. */
  readonly serial: number;
  readonly payer: PayerIds;
  /** Quota units that were granted before the books had them; 0 once they have answered, and of any other hold. */
  earlyAmount: number;
  /** Resolves when the hold is durable. */
  readonly durable: PromiseWithResolvers<void>;
  isWritten: boolean;
  /** Its settlement is on its way. */
  isSettling: boolean;
  /** Why it does not stand. */
  failed: Error | undefined;
  /** Cancels the timeout that fails the hold when no answer comes in time. */
  cancelTimeout: (() => void) | undefined;
}

export const newHold = (serial: number, payer: PayerIds, earlyAmount: number): LinkedHold => ({
  serial,
  payer,
  earlyAmount,
  durable: handledResolvers(),
  isWritten: false,
  isSettling: false,
  failed: undefined,
  cancelTimeout: undefined,
});

import { type DialectHelpers, StaleBooks } from '../../../../store/index.ts';

/**
 * True when what was written is at fault and not the database: planning again on the rows, or leaving out what cannot
 * be stored, is the cure. Everything else is an outage, which waiting cures; a settlement is never given up for it.
 */
export const isFault = (dialect: DialectHelpers, error: unknown): boolean =>
  error instanceof StaleBooks ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  dialect.isDataFault(error);

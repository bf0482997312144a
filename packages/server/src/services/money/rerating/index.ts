// Public interface of re-rating: correction of past charges to other prices, once and reversibly.
export { createReratings, type Reratings } from './service.ts';
export { rerateTxn, undoTxn } from './types.ts';

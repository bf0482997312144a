export { createSignedReceipts, type SignedReceipts } from './service.ts';
export type { Checked } from './check.ts';

/** The checker of files of receipts, which a running site does not need. */
export const loadChecker = () => import('./check.ts');

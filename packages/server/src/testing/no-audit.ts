import type { Audit } from '../services/site/audit/index.ts';

/** An audit that keeps nothing, for tests without a database. */
export const noAudit: Audit = {
  during: (_call, work) => work(),
  record: () => Promise.resolve(),
  recordOnce: () => Promise.resolve(),
  list: () => Promise.resolve({ items: [], next: null }),
  expire: () => Promise.resolve(0),
};

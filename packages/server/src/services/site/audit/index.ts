// The audit log: an append-only record of what people did.
export { createAudit } from './audit.ts';
export { differences } from './differences.ts';
export type { Audit, AuditedCall, AuditEvent, AuditTarget, AuditValue } from './types.ts';

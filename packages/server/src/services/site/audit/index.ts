// The only door of the audit: what people did, kept where nobody can change it.
export { createAudit } from './audit.ts';
export { differences } from './differences.ts';
export type { Audit, AuditedCall, AuditEvent, AuditTarget, AuditValue } from './types.ts';

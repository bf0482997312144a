import type { MakeJob } from './parts.ts';

/** Lets go of audit rows that are older than the operator wants them kept; without a number of days of none. */
export const expireAudit: MakeJob<'auditTrail' | 'settings'> = ({ auditTrail, settings }) => ({
  name: 'expire-audit',
  everyMs: 10 * 60_000,
  async run() {
    await auditTrail.expire(settings.get('AuditRetentionDays'));
  },
});

/** Lets go of log rows in the same way. */
export const expireLogs: MakeJob<'logs' | 'settings'> = ({ logs, settings }) => ({
  name: 'expire-logs',
  everyMs: 60_000,
  async run() {
    await logs.expire(settings.get('LogRetentionDays'));
  },
});

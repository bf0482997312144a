import type { MakeJob } from './parts.ts';

/** Deletes audit rows older than the configured number of days; none without a number. */
export const expireAudit: MakeJob<'auditTrail' | 'settings'> = ({ auditTrail, settings }) => ({
  name: 'expire-audit',
  everyMs: 10 * 60_000,
  async run() {
    await auditTrail.expire(settings.get('AuditRetentionDays'));
  },
});

/** Deletes log rows in the same way. */
export const expireLogs: MakeJob<'logs' | 'settings'> = ({ logs, settings }) => ({
  name: 'expire-logs',
  everyMs: 60_000,
  async run() {
    await logs.expire(settings.get('LogRetentionDays'));
  },
});

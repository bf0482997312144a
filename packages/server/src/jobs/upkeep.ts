import type { MakeJob } from './parts.ts';

/** Longest run; the next one continues, because an old log takes a few minutes. */
const runMs = 30_000;

/** Sums the completed hours of the log, and recomputes those with changes. */
export const sumLogHours: MakeJob<'logHours'> = ({ logHours }) => ({
  name: 'sum-log-hours',
  everyMs: 30_000,
  async run() {
    await logHours.work(runMs);
  },
});

/** Longest round; the next one continues, because an old log takes many. */
const roundMs = 15_000;

/** Moves rows of the log to the database of LOG_SQL_DSN. */
export const moveLogs: MakeJob<'logMover'> = ({ logMover }) =>
  logMover && {
    name: 'move-logs',
    everyMs: 5_000,
    run: () => logMover.work(roundMs),
  };

/** Deletes audit rows older than the configured number of days; none without a number. */
export const expireAudit: MakeJob<'auditTrail' | 'settings'> = ({ auditTrail, settings }) => ({
  name: 'expire-audit',
  everyMs: 10 * 60_000,
  async run() {
    await auditTrail.expire(settings.get('AuditRetentionDays'));
  },
});

/** Deletes log rows in the same way, and prepares the partitions of coming ones. */
export const expireLogs: MakeJob<'logs' | 'settings'> = ({ logs, settings }) => ({
  name: 'expire-logs',
  everyMs: 60_000,
  async run() {
    await logs.makeMonths();
    await logs.expire(settings.get('LogRetentionDays'));
  },
});

/** Writes summary rows of failed calls at the end of their minute. */
export const sweepFailures: MakeJob<'failures'> = ({ failures }) => ({
  name: 'sweep-failures',
  everyMs: 60_000,
  async run() {
    failures.sweep();
  },
});

const anHour = 3_600_000;

/**
 * Makes a backup when the newest is older than BACKUP_EVERY_HOURS. Checked often and by the backups themselves, so
 * that restarts do not postpone one. A separate process makes it, because copying and checking would block every
 * call.
 */
export const makeBackup: MakeJob<'backups' | 'clock' | 'log'> = ({ backups, clock, log }) =>
  backups && {
    name: 'make-backup',
    everyMs: 10 * 60_000,
    async run() {
      const newest = await backups.newest();
      if (newest !== undefined && clock() - newest.getTime() < backups.everyHours * anHour) return;
      log.info({ backup: await backups.make() }, 'a backup was made and read back');
    },
  };

/** Begins and ends alarms of operators. */
export const findAlarms: MakeJob<'alarms' | 'findAlarms'> = ({ alarms, findAlarms: find }) => ({
  name: 'find-alarms',
  everyMs: 20_000,
  run: async () => alarms.sync(await find()),
});

/** Warns of budgets that have reached a declared share. */
export const warnOfBudgets: MakeJob<'warnOfBudgets'> = ({ warnOfBudgets: warn }) => ({
  name: 'warn-of-budgets',
  everyMs: 10_000,
  run: warn,
});

/** Notifies users of models that will be shut down. */
export const announceRetirements: MakeJob<'announceRetiring'> = ({ announceRetiring: announce }) => ({
  name: 'announce-retirements',
  everyMs: anHour,
  run: announce,
});

/** Delivers alarms. */
export const sendAlarms: MakeJob<'alarms'> = ({ alarms }) => ({
  name: 'send-alarms',
  everyMs: 5_000,
  run: () => alarms.deliver(),
});

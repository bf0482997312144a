import type { MakeJob } from './parts.ts';

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

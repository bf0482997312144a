import { integer, text, toggle } from './kinds.ts';

/** When the embedded database is backed up automatically, and where to. */
export const backupVariables = {
  backupHours: integer('BACKUP_EVERY_HOURS', {
    fallback: 0,
    min: 0,
    max: 8_760,
    meaning: 'Makes a verified backup of the SQLite database and its key so often; 0 for never.',
  }),
  backupDir: text('BACKUP_DIR', {
    fallback: '',
    shownDefault: '<DATA_DIR>/backups',
    meaning: 'Folder of the backups; best on another disk.',
  }),
  backupKeep: integer('BACKUP_KEEP', {
    fallback: 7,
    min: 1,
    max: 10_000,
    meaning: 'Backups that are kept; older ones are removed when a new one is whole.',
  }),
  backupWithoutKey: toggle('BACKUP_WITHOUT_KEY', {
    fallback: false,
    meaning: 'Leaves the master key out of backups: keep secret.key elsewhere, as no secret can be read without it.',
  }),
};

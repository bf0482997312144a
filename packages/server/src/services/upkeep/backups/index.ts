export { dropOldBackups, type Installation, listBackups, makeBackup } from './backup.ts';
export { restoreBackup } from './restore.ts';

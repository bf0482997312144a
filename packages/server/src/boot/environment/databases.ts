import { databaseUrl, text } from './kinds.ts';

/** The database, and the one to which rows of the log move. */
export const databases = {
  databaseUrl: databaseUrl('DATABASE_URL', {
    fallback: '',
    aliases: ['SQL_DSN'],
    shownDefault: 'sqlite:<DATA_DIR>/tollgate.db',
    meaning:
      'Database: `sqlite:<path>` (from DATA_DIR), `postgres://user:password@host:port/name`, `mysql://…`, or `user:password@tcp(host:port)/name`.',
  }),
  logDatabaseUrl: databaseUrl('LOG_SQL_DSN', {
    fallback: '',
    shownDefault: '',
    meaning:
      'Another database, which rows of the log move to some minutes after they are written, named as DATABASE_URL is; made by you, empty at first, and this site’s alone. Without it the log stays where the books are.',
  }),
  sqlitePath: text('SQLITE_PATH', {
    fallback: '',
    shownDefault: '',
    meaning: 'File of the SQLite database when DATABASE_URL is not set.',
  }),
} as const;

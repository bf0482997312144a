import { errorField, isSocketError } from './dialects/shared.ts';

/**
 * PostgreSQL's SQLSTATEs: read-only, disk full, out of memory, out of connections, shut down, crashed, starting, idle
 * transaction or connection timeout, file errors. Class 08 (connection exceptions) counts as a whole.
 */
const sqlStates = new Set(
  '25006 53000 53100 53200 53300 53400 57P01 57P02 57P03 57P05 25P03 25P04 58000 58030'.split(' '),
);
/**
 * MariaDB's and MySQL's numbers. Read-only: 1290, 1792, 1836. Disk full or not writable: 1021, 1026, 1030, 1114, 1180. Out of
 * memory: 1037, 1041. Out of connections: 1040, 1129, 1203. Shutting down, killed or idle for too long: 1053, 1077, 1079, 1080,
 * 1927, 3168, 3169, 4031. Broken off: 1158 to 1161. A node of a cluster that is not part of it now: 1047.
 */
const numbers = new Set([
  1290, 1792, 1836, 1021, 1026, 1030, 1114, 1180, 1037, 1041, 1040, 1129, 1203, 1053, 1077, 1079, 1080, 1927,
  3168, 3169, 4031, 1158, 1159, 1160, 1161, 1047,
]);
/** SQLite's primary codes: busy, locked, out of memory, read-only, an error of the disk, full, a file that cannot be opened. */
const sqliteCodes = new Set([5, 6, 7, 8, 10, 13, 14]);
/** The drivers have no code of a server for these. */
const codes = new Set(['PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'POOL_CLOSED']);
const message =
  /Connection terminated|timeout exceeded when trying to connect|connection error|connection is in closed state|Queue limit reached/;

/**
 * True if an error of any driver means that the database cannot be used now: unreachable, shutting down, read-only or
 * full. The statement is valid and may succeed later.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isSocketError(error)) return true;
  const code = errorField(error, 'code');
  if (typeof code === 'string' && (sqlStates.has(code) || codes.has(code) || /^08\w{3}$/.test(code)))
    return true;
  const errno = errorField(error, 'errno');
  if (typeof errno === 'number' && numbers.has(errno)) return true;
  const errcode = errorField(error, 'errcode');
  if (typeof errcode === 'number' && sqliteCodes.has(errcode & 0xff)) return true;
  return error instanceof Error && message.test(error.message);
}

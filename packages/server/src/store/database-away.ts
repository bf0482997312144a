import { errorField, isSocketError } from './dialects/shared.ts';

/** PostgreSQL: shut down, crashed, starting, out of connections, a transaction that stood still for too long. */
const codes = new Set(['57P01', '57P02', '57P03', '53300', '25P03', 'PROTOCOL_CONNECTION_LOST']);
/** The drivers have no code for these. */
const message =
  /Connection terminated|timeout exceeded when trying to connect|connection error|connection is in closed state/;

/** Whether an error of any driver says that the database cannot be reached now: nothing is wrong with what was asked. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorField(error, 'code');
  if (isSocketError(error) || (typeof code === 'string' && (codes.has(code) || /^08\w{3}$/.test(code))))
    return true;
  return error instanceof Error && message.test(error.message);
}

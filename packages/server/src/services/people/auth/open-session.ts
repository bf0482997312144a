import { keptText, logType } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { logs, type users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Place, Sessions } from './sessions.ts';
import { about, type SignedInWith, signedInOf } from './signed-in.ts';

export interface OpenSessionDeps {
  sessions: Sessions;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Log;
}

/** The methods of a sign-in: of the first step, and of the second, '' for none. */
export interface SignInMethod {
  method: string;
  second: '' | 'code' | 'passkey';
}

/** Opens the session of a user who completed all steps, with its rows in the audit log and in the log. */
export async function openSession(
  { sessions, audit, clock, log }: OpenSessionDeps,
  user: users.UserRow,
  place: Place,
  { method, second }: SignInMethod,
): Promise<SignedInWith> {
  const isProven = second !== '';
  const session = await sessions.open(user, place, {
    isProven,
    also: async (db) => {
      const note = isProven ? { note: { second } } : {};
      await audit.record(db, { kind: 'sign_in', actor: user, method, ...about(user), ...note });
      await logs.insert(db, [loginRow(user, method, seconds(clock))]);
    },
  });
  log.info({ userId: user.id, ip: place.ip, method, second }, 'a user signed in');
  return { user: signedInOf(user), session };
}

/** The row of a sign-in in the user's own log. */
const loginRow = ({ id, username }: users.UserRow, method: string, now: number): logs.NewLog => ({
  ...logs.blank,
  user_id: id,
  username,
  created_at: now,
  type: logType.login,
  content: keptText('signedIn', { method }),
});

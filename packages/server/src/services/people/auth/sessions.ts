import { randomBytes } from 'node:crypto';
import { role } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { keptLanguage } from '../../../lib/accept-language.ts';
import { type Db, inTransaction, sessions, signInTickets, users } from '../../../store/index.ts';
import type { Actor, Identity } from './types.ts';

const aDay = 86_400;
/** A session ends after this long without use (ASVS 7.3.1). */
const idleSeconds = 7 * aDay;
/** A session ends after this long in any case (ASVS 7.3.2); an administrator's after 12 hours. */
const lifeSeconds = 30 * aDay;
const adminLifeSeconds = 12 * 3600;
/** Minimum interval between two writes of the last use. */
const noteEverySeconds = 60;
/** Maximum number of sessions of a user; the oldest end when there are more. */
const maxSessions = 50;

/** Origin of a session, shown to its owner. */
export interface Place {
  ip: string;
  userAgent: string;
}

/**
 * Sessions of the console. They are stored in SQL only, so that ending one takes effect on every machine at once
 * (ASVS 7.4.1).
 */
export interface Sessions {
  /**
   * Returns the cookie's value: 256 random bits, of which only the hash is stored. `isProven`: a second factor was
   * used. `also` runs in the same transaction.
   */
  open(
    user: { id: number; role: number },
    place: Place,
    how: { isProven: boolean; also?: (db: Db) => Promise<void> },
  ): Promise<string>;
  /** The present user of a cookie; null if the session ended or the user does not exist any more. */
  find(value: string): Promise<Identity | null>;
  list(userId: number): Promise<sessions.SessionRow[]>;
  end(idHash: string): Promise<void>;
  /** Ends all sessions of a user except one, and sign-ins that wait for their second step. */
  endAll(userId: number, exceptIdHash?: string): Promise<void>;
  /** Deletes ended sessions; returns their number. */
  sweep(): Promise<number>;
}

/** End of a session that was last used at `seen`. */
const endOf = (created: number, seen: number, userRole: number): number =>
  Math.min(seen + idleSeconds, created + (userRole >= role.admin ? adminLifeSeconds : lifeSeconds));

export function createSessions(db: Db, clock: Clock): Sessions {
  return {
    async open(user, { ip, userAgent }, { isProven, also = () => Promise.resolve() }) {
      const value = randomBytes(32).toString('base64url');
      const now = seconds(clock);
      const row = {
        id_hash: sha256(value),
        user_id: user.id,
        created_time: now,
        seen_time: now,
        expires_time: endOf(now, now, user.role),
        proven_time: isProven ? now : 0,
        ip,
        user_agent: userAgent,
      };
      await inTransaction(db, async (trx) => {
        // The new session is not compared: among sessions of one second it could be the last.
        await sessions.keepNewest(trx, user.id, maxSessions - 1);
        await sessions.create(trx, row);
        await also(trx);
      });
      return value;
    },
    async find(value) {
      const now = seconds(clock);
      const row = await sessions.find(db, sha256(value));
      if (!row || row.expires_time <= now) return null;
      const user = await users.find(db, row.user_id);
      if (!user) return null;
      if (now - row.seen_time >= noteEverySeconds) {
        await sessions.touch(db, row.id_hash, now, endOf(row.created_time, now, user.role));
      }
      const credential = { kind: 'session', idHash: row.id_hash, provenTime: row.proven_time } as const;
      return { actor: actorOf(user), credential, language: keptLanguage(user.setting) };
    },
    list: (userId) => sessions.list(db, userId),
    async end(idHash) {
      await sessions.remove(db, idHash);
    },
    async endAll(userId, exceptIdHash) {
      await signInTickets.removeAll(db, userId);
      await sessions.removeAll(db, userId, exceptIdHash);
    },
    sweep: () => sessions.removeExpired(db, seconds(clock)),
  };
}

/** The fields of a user that decide on their rights. */
export const actorOf = (user: Actor): Actor => ({
  id: user.id,
  username: user.username,
  role: user.role,
  status: user.status,
  group: user.group,
});

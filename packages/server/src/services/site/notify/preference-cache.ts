import type { Clock } from '../../../lib/clock.ts';
import type { Recipient, WarningPreferences } from './destination.ts';

/** The preferences of users, remembered for a minute: settlements ask for them far more often than they change. */
export interface PreferenceCache {
  /** Undefined when there is no such user, or too many are being looked up. */
  get(userId: number): Promise<WarningPreferences | undefined>;
  forget(userId: number): void;
}

const rememberMs = 60_000;
/** Users remembered, and looked up at the same time, at most. */
const maxUsers = 10_000;
const maxLookups = 50;

/** Remembers what `find` answers, as `read` understands it. */
export function createPreferenceCache(
  find: (userId: number) => Promise<Recipient | undefined>,
  read: (user: Recipient) => WarningPreferences,
  clock: Clock,
): PreferenceCache {
  const known = new Map<number, { preferences: WarningPreferences | undefined; at: number }>();
  const lookups = new Map<number, Promise<WarningPreferences | undefined>>();

  const lookUp = async (userId: number): Promise<WarningPreferences | undefined> => {
    try {
      const user = await find(userId);
      const preferences = user && read(user);
      known.delete(userId);
      known.set(userId, { preferences, at: clock() });
      if (known.size > maxUsers) known.delete(known.keys().next().value!);
      return preferences;
    } finally {
      lookups.delete(userId);
    }
  };

  return {
    async get(userId) {
      const entry = known.get(userId);
      if (entry && Math.abs(clock() - entry.at) < rememberMs) return entry.preferences;
      const running = lookups.get(userId);
      if (running) return running;
      // The next settlement asks again; a warning is not worth a queue at the database.
      if (lookups.size >= maxLookups) return undefined;
      const lookup = lookUp(userId);
      lookups.set(userId, lookup);
      return lookup;
    },
    forget(userId) {
      known.delete(userId);
    },
  };
}

import type { Clock } from '../../lib/clock.ts';
import type { Recipient, WarningWishes } from './destination.ts';

/** The wishes of users, remembered for a minute: settlements ask for them far more often than they change. */
export interface WishBook {
  /** Undefined when there is no such user, or too many are being looked up. */
  get(userId: number): WarningWishes | undefined | Promise<WarningWishes | undefined>;
  forget(userId: number): void;
}

const rememberMs = 60_000;
/** Users remembered, and looked up at the same time, at most. */
const maxUsers = 10_000;
const maxLookups = 50;

/** Remembers what `find` answers, as `read` understands it. */
export function createWishBook(
  find: (userId: number) => Promise<Recipient | undefined>,
  read: (user: Recipient) => WarningWishes,
  clock: Clock,
): WishBook {
  const known = new Map<number, { wishes: WarningWishes | undefined; at: number }>();
  const lookups = new Map<number, Promise<WarningWishes | undefined>>();

  const lookUp = async (userId: number): Promise<WarningWishes | undefined> => {
    try {
      const user = await find(userId);
      const wishes = user && read(user);
      known.delete(userId);
      known.set(userId, { wishes, at: clock() });
      if (known.size > maxUsers) known.delete(known.keys().next().value!);
      return wishes;
    } finally {
      lookups.delete(userId);
    }
  };

  return {
    get(userId) {
      const entry = known.get(userId);
      if (entry && Math.abs(clock() - entry.at) < rememberMs) return entry.wishes;
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

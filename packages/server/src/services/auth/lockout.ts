import { LRUCache } from 'lru-cache';
import { AppError } from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';

/** Wrong passwords that are free; each further one doubles the wait. */
const freeTries = 5;
const firstWaitSeconds = 5;
const longestWaitSeconds = 15 * 60;
/** After this time without a try all is forgotten. */
const forgetSeconds = 60 * 60;
/** Pairs kept; the longest untouched are forgotten first, so that a flood cannot fill the memory. */
const maxPairs = 20_000;

interface Tries {
  failed: number;
  /** Unix ms. */
  lastAt: number;
}

/**
 * Slows down guessing (ASVS 6.3.1) by account and address together: whoever guesses waits longer and longer, while the
 * owner signs in from his own address undisturbed. A hard lock would be a weapon in anybody's hand.
 */
export interface Lockout {
  /** Throws `too_many_attempts` while the pair has to wait. */
  check(account: string, ip: string): void;
  fail(account: string, ip: string): void;
  succeed(account: string, ip: string): void;
}

/** Seconds to wait after `failed` wrong passwords. */
export const waitAfter = (failed: number): number =>
  failed < freeTries
    ? 0
    : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(failed - freeTries, 20));

export function createLockout(clock: Clock): Lockout {
  const pairs = new LRUCache<string, Tries>({ max: maxPairs });
  const nameOf = (account: string, ip: string): string => `${account.trim().toLowerCase()}\n${ip}`;
  return {
    check(account, ip) {
      const name = nameOf(account, ip);
      const tries = pairs.get(name);
      if (!tries) return;
      const pastMs = clock() - tries.lastAt;
      if (pastMs > forgetSeconds * 1000) {
        pairs.delete(name);
        return;
      }
      const leftMs = waitAfter(tries.failed) * 1000 - pastMs;
      if (leftMs > 0) throw new AppError('too_many_attempts', { retryAfter: Math.ceil(leftMs / 1000) });
    },
    fail(account, ip) {
      const name = nameOf(account, ip);
      pairs.set(name, { failed: (pairs.get(name)?.failed ?? 0) + 1, lastAt: clock() });
    },
    succeed(account, ip) {
      pairs.delete(nameOf(account, ip));
    },
  };
}

import { LRUCache } from 'lru-cache';
import { AppError } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import { addressKey } from '../../../lib/outbound/address.ts';

/** Wrong passwords for one account from one address without a wait; each further one doubles the wait. */
const freeTries = 5;
const firstWaitSeconds = 5;
const longestWaitSeconds = 15 * 60;
/** After this time without an attempt the count is removed. */
const forgetSeconds = 60 * 60;
/** Wrong passwords for one account from all unknown addresses together without a wait. */
const freeAccountTries = 50;
/**
 * The account's limit recovers by one in this time, so a guesser with many addresses gets one attempt in this time.
 */
const accountTrySeconds = 2 * 60;
/**
 * Maximum number of entries of each kind; the least recently used ones are dropped first, so that a flood cannot fill
 * the memory.
 */
const maxNames = 20_000;
/** Bounded by size, because `max` would allocate the memory for all entries at once. */
const bound = { maxSize: maxNames, sizeCalculation: () => 1 };

/** The guessed account, and the address of the guesser. */
interface Guess {
  /** The name of the attempt: its failures decide whether the attempt has to wait. */
  account: string;
  /** Further names of the same account, for which the attempt is counted too. */
  also?: readonly string[];
  ip: string;
  /**
   * True for secrets that cannot be guessed with any number of addresses: other users must not be able to make the
   * owner wait.
   */
  perAddressOnly?: boolean;
}

/** An attempt, counted as failed until it is known to be correct. */
interface Attempt {
  /** The secret was correct: removes all failures under these names from this address. */
  succeed(): void;
  /** The secret could not be checked: the attempt does not count. */
  giveBack(): void;
}

/**
 * Limits guessing (ASVS 6.3.1) by account and address together: the wait of a guesser grows, while the owner can sign
 * in from another address. Addresses from which the account signed in before are exempt from the limit for all
 * addresses, so that a guesser with many addresses cannot lock the owner out. Counts per process.
 *
 * Attempts are counted by the given name, whether or not it exists. If attempts under one name delayed another, an
 * attacker would learn that both belong to one account.
 */
export interface Lockout {
  /** Counts an attempt before it is checked. Throws `too_many_attempts` while it has to wait. */
  attempt(guess: Guess): Attempt;
}

/** Seconds to wait after `failed` wrong passwords. */
export const waitAfter = (failed: number): number =>
  failed < freeTries
    ? 0
    : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(failed - freeTries, 20));

function refuseFor(ms: number): never {
  throw new AppError('too_many_attempts', { retryAfter: Math.ceil(ms / 1000) });
}

/** Failures by name, each with the time of the last one (Unix ms). */
type Failures = LRUCache<string, { failed: number; lastAt: number }>;

/** Failures of a pair that have not expired. */
function pairFailures(pairs: Failures, pair: string, now: number): number {
  const known = pairs.get(pair);
  return known && now - known.lastAt <= forgetSeconds * 1000 ? known.failed : 0;
}

function refuseRecent(pairs: Failures, pair: string, now: number): void {
  const leftMs = waitAfter(pairFailures(pairs, pair, now)) * 1000 - (now - (pairs.get(pair)?.lastAt ?? now));
  if (leftMs > 0) refuseFor(leftMs);
}

/** Failures of an account that have not expired. */
function accountFailures(accounts: Failures, account: string, now: number): number {
  const known = accounts.get(account);
  if (!known) return 0;
  return Math.max(0, known.failed - (now - known.lastAt) / (accountTrySeconds * 1000));
}

function countBack(failures: Failures, name: string): void {
  const known = failures.get(name);
  if (known) failures.set(name, { ...known, failed: Math.max(0, known.failed - 1) });
}

/** A lockout for this process; an IPv6 address counts as its /64 network, because one host has all of it. */
export function createLockout(clock: Clock): Lockout {
  const pairs: Failures = new LRUCache(bound);
  const accounts: Failures = new LRUCache(bound);
  const knownPairs = new LRUCache<string, true>(bound);
  return {
    attempt({ account, also = [], ip, perAddressOnly = false }) {
      const now = clock();
      const address = addressKey(ip);
      const pairOf = (name: string): string => `${name}\n${address}`;
      const isKnown = perAddressOnly || knownPairs.has(pairOf(account));
      refuseRecent(pairs, pairOf(account), now);
      const overMs =
        (accountFailures(accounts, account, now) + 1 - freeAccountTries) * accountTrySeconds * 1000;
      if (!isKnown && overMs > 0) refuseFor(overMs);
      const names = [...new Set([account, ...also])];
      for (const name of names) {
        pairs.set(pairOf(name), { failed: pairFailures(pairs, pairOf(name), now) + 1, lastAt: now });
        if (!isKnown) accounts.set(name, { failed: accountFailures(accounts, name, now) + 1, lastAt: now });
      }
      const giveBack = (): void => {
        for (const name of names) {
          countBack(pairs, pairOf(name));
          if (!isKnown) countBack(accounts, name);
        }
      };
      return {
        giveBack,
        succeed() {
          giveBack();
          for (const name of names) {
            pairs.delete(pairOf(name));
            knownPairs.set(pairOf(name), true);
          }
        },
      };
    },
  };
}

/**
 * Checks a secret: the attempt is counted before `isRight` runs, and uncounted if the secret was correct or could not
 * be checked. Throws `too_many_attempts` while the account or the address has to wait, and the errors of `isRight`.
 */
export async function checkWithLockout(
  lockout: Lockout,
  guess: Guess,
  isRight: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const attempt = lockout.attempt(guess);
  let right: boolean;
  try {
    right = await isRight();
  } catch (error) {
    attempt.giveBack();
    throw error;
  }
  if (right) attempt.succeed();
  return right;
}

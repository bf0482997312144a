import { AppError } from '@tollgate/contract';
import { addressKey } from '../lib/outbound/ip-range.ts';
import type { Log } from '../lib/log.ts';

/** Counts a hit under a name and tells how many there were in the last `windowSeconds`, this one included. */
type HitCounter = (name: string, windowSeconds: number) => number | Promise<number>;

/** At most `count` requests of one address in `seconds`; null switches the limit off. */
type IpLimit = { count: number; seconds: number } | null;

/**
 * The limits of docs/compatibility.md#address-limits: every console call, page loads, and the critical calls
 * (sign-in, codes, reset).
 */
export interface IpLimitRules {
  api: IpLimit;
  web: IpLimit;
  critical: IpLimit;
}

type IpLimitName = keyof IpLimitRules;

/** Throws `too_many_requests` when `ip` (an IPv6 address: its /64 network) has used up its share. */
export type IpLimiter = (name: IpLimitName, ip: string) => Promise<void>;

interface LimiterDeps {
  rules: IpLimitRules;
  hit: HitCounter;
  log: Log;
}

/**
 * Limits by counters and not by lists of times, so that memory stays flat however many requests come.
 * A counter that cannot be reached lets requests pass: a broken cache must not lock the administrator out of the
 * console that repairs it.
 */
export function createIpLimiter({ rules, hit, log }: LimiterDeps): IpLimiter {
  return async (name, ip) => {
    const rule = rules[name];
    if (!rule) return;
    let hits: number;
    try {
      hits = await hit(`ip-limit:${name}:${addressKey(ip)}`, rule.seconds);
    } catch (error) {
      log.warn({ err: error, limit: name }, 'the limit counter cannot be reached; the request passes');
      return;
    }
    if (hits > rule.count) throw new AppError('too_many_requests', { retryAfter: rule.seconds });
  };
}

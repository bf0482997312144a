import { AppError } from '@tollgate/contract';
import { addressKey } from '../lib/outbound/address.ts';
import type { Log } from '../lib/log.ts';

/** Counts a hit under a name and returns the number of hits in the last `windowSeconds`, including this one. */
type HitCounter = (name: string, windowSeconds: number) => number | Promise<number>;

/** At most `count` requests of one address in `seconds`; null disables the limit. */
type IpLimit = { count: number; seconds: number } | null;

/**
 * The limits of docs/compatibility.md#address-limits: all console calls, page loads, and the critical calls (sign-in,
 * codes, reset).
 */
export interface IpLimitRules {
  api: IpLimit;
  web: IpLimit;
  critical: IpLimit;
}

type IpLimitName = keyof IpLimitRules;

/** The limits from the environment. */
export interface IpLimitSettings {
  apiLimit: boolean;
  apiLimitCount: number;
  apiLimitSeconds: number;
  webLimit: boolean;
  webLimitCount: number;
  webLimitSeconds: number;
  criticalLimit: boolean;
  criticalLimitCount: number;
  criticalLimitSeconds: number;
}

const rule = (on: boolean, count: number, seconds: number): IpLimit => (on ? { count, seconds } : null);

export const ipLimitRules = (env: IpLimitSettings): IpLimitRules => ({
  api: rule(env.apiLimit, env.apiLimitCount, env.apiLimitSeconds),
  web: rule(env.webLimit, env.webLimitCount, env.webLimitSeconds),
  critical: rule(env.criticalLimit, env.criticalLimitCount, env.criticalLimitSeconds),
});

/** Throws `too_many_requests` if `ip` (an IPv6 address: its /64 network) has reached its limit. */
export type IpLimiter = (name: IpLimitName, ip: string) => Promise<void>;

interface LimiterDeps {
  rules: IpLimitRules;
  hit: HitCounter;
  log: Log;
}

/**
 * Limits by counters and not by lists of times, so that memory does not grow with the number of requests. If a
 * counter cannot be reached, requests pass: a broken cache must not lock the administrator out of the console that is
 * needed to repair it.
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

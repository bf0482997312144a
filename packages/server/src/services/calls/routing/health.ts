import { randomUUID } from 'node:crypto';
import type { Cache } from '../../../cache/index.ts';
import type { Clock } from '../../../lib/clock.ts';

/** When a channel gets a cooldown, in milliseconds. A channel in cooldown is used only if no other one is left. */
interface HealthRules {
  /** Failures within `windowMs` that start a cooldown. */
  failures: number;
  windowMs: number;
  /** The first cooldown; each consecutive one doubles, up to `maxCooldownMs`. */
  cooldownMs: number;
  maxCooldownMs: number;
}

/** Five failures in half a minute: enough to distinguish an outage from a single error, few enough to protect callers. */
const defaultHealthRules: HealthRules = {
  failures: 5,
  windowMs: 30_000,
  cooldownMs: 15_000,
  maxCooldownMs: 240_000,
};

/** The state of a failing channel (a circuit breaker). */
interface FailureState {
  failures: number;
  windowStart: number;
  /** Clock ms; 0 without a cooldown. */
  cooldownUntil: number;
  /** Consecutive cooldowns. */
  cooldowns: number;
  /** One request after a cooldown is testing whether the channel works again. */
  isProbing: boolean;
}

/** Events that change a channel's state: chosen after a cooldown, a failure, the success of a failing one. */
const healthEvents = ['chosen', 'failed', 'succeeded'] as const;
export type HealthEvent = (typeof healthEvents)[number];

/**
 * Remembers which channels are failing, in memory. A channel with repeated failures gets a cooldown; after it a single
 * request tries the channel, and only a success ends the state. Nothing is disabled permanently by this.
 */
export interface Health {
  /** False during a cooldown. */
  available(channelId: number): boolean;
  /** A request uses the channel: after a cooldown it is the only one until its result is known. */
  chosen(channelId: number): void;
  failed(channelId: number): void;
  succeeded(channelId: number): void;
  /** Applies an event of another process as if it had happened here. */
  apply(what: HealthEvent, channelId: number): void;
  /** Removes the state of channels that no longer exist. */
  keepOnly(exists: (channelId: number) => boolean): void;
}

/**
 * Channel health of this process. `report` is called for every event that changes a state here, for the other processes of the
 * site; it must not wait.
 */
export function createHealth(
  clock: Clock,
  report: (what: HealthEvent, channelId: number) => void = () => undefined,
  rules: HealthRules = defaultHealthRules,
): Health {
  const failing = new Map<number, FailureState>();
  /** Each returns whether anything changed. */
  const changes: Record<HealthEvent, (channelId: number) => boolean> = {
    chosen: (channelId) => startProbe(failing.get(channelId), clock(), rules),
    failed(channelId) {
      const now = clock();
      let state = failing.get(channelId);
      if (state === undefined) {
        state = { failures: 0, windowStart: now, cooldownUntil: 0, cooldowns: 0, isProbing: false };
        failing.set(channelId, state);
      }
      return countFailure(state, now, rules);
    },
    succeeded: (channelId) => failing.delete(channelId),
  };
  const happened = (what: HealthEvent, channelId: number): void => {
    if (changes[what](channelId)) report(what, channelId);
  };

  return {
    available(channelId) {
      if (failing.size === 0) return true;
      const state = failing.get(channelId);
      return state === undefined || state.cooldownUntil === 0 || clock() >= state.cooldownUntil;
    },
    chosen(channelId) {
      if (failing.size > 0) happened('chosen', channelId);
    },
    failed: (channelId) => happened('failed', channelId),
    succeeded(channelId) {
      if (failing.size > 0) happened('succeeded', channelId);
    },
    apply: (what, channelId) => void changes[what](channelId),
    keepOnly(exists) {
      for (const id of failing.keys()) if (!exists(id)) failing.delete(id);
    },
  };
}

/** The first request after a cooldown tests the channel. */
function startProbe(state: FailureState | undefined, now: number, rules: HealthRules): boolean {
  if (state === undefined || state.cooldownUntil === 0 || now < state.cooldownUntil) return false;
  state.isProbing = true;
  // Its result may take long, or never come: the channel is not available to others for one simple cooldown.
  state.cooldownUntil = now + rules.cooldownMs;
  return true;
}

/** Returns whether the failure counts. */
function countFailure(state: FailureState, now: number, rules: HealthRules): boolean {
  // Failures of requests that were running when the cooldown started are not new.
  if (now < state.cooldownUntil && !state.isProbing) return false;
  if (state.cooldownUntil === 0) {
    if (now - state.windowStart > rules.windowMs) {
      state.failures = 0;
      state.windowStart = now;
    }
    state.failures += 1;
    if (state.failures < rules.failures) return true;
  }
  state.cooldownUntil = now + Math.min(rules.cooldownMs * 2 ** state.cooldowns, rules.maxCooldownMs);
  state.cooldowns += 1;
  state.isProbing = false;
  return true;
}

const topic = 'channel-health';

/** What is needed to share channel health between processes. */
interface HealthSharing {
  cache: Pick<Cache, 'publish' | 'subscribe'>;
  health: Pick<Health, 'apply'>;
  /** Calls the listener with health changes of this process. */
  onEvent: (listener: (what: HealthEvent, channelId: number) => void) => void;
}

/**
 * Shares failures of channels between the processes that share a cache. Messages may be lost; then a process finds
 * out itself.
 */
export async function shareHealth({ cache, health, onEvent }: HealthSharing): Promise<void> {
  const own = randomUUID();
  await cache.subscribe(topic, (notice) => {
    const [from, word, id] = notice.split(' ');
    const what = healthEvents.find((each) => each === word);
    if (from !== own && what) health.apply(what, Number(id));
  });
  onEvent((what, channelId) => {
    cache.publish(topic, `${own} ${what} ${channelId}`).catch(() => undefined);
  });
}

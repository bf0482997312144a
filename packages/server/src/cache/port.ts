/** A bucket that starts full, holds at most `capacity` and refills from empty within `refillMs`. */
export interface Bucket {
  capacity: number;
  refillMs: number;
}

/** Limits of the calls under a name; 0 for no limit. */
export interface CallLimit {
  name: string;
  /** Calls, and tokens, that start in any 60 seconds. */
  requests: number;
  tokens: number;
  /** Calls at once. */
  calls: number;
}

/** A call that asks to start. */
export interface StartingCall {
  /** '' only asks whether a call could start. */
  id: string;
  /** Expected tokens. */
  tokens: number;
}

/** A call that has ended. */
export interface EndedCall extends StartingCall {
  /** Unix ms of its start. */
  startedAt: number;
  /** Used tokens; null keeps the expected ones. */
  used: number | null;
}

/** The limit that a call would pass. */
export interface ReachedLimit {
  name: string;
  by: 'requests' | 'tokens' | 'calls';
  /** Earliest start in ms from now; 0 if it depends on the end of another call. */
  waitMs: number;
}

/** A running call counts for this long after its start or its last `renew`, so that a killed process frees its calls. */
export const callLeaseMs = 60_000;

/**
 * State that processes of a site share besides the database: counters, short-lived values, notices. All of it may be
 * lost at any moment (full memory, a flushed Redis), so money, sessions and anything without another copy are never in
 * it. Lifetimes are whole seconds, at least 1. Every call may reject if the server does not answer.
 */
export interface Cache {
  /** Adds `by` to a counter that expires `ttlSeconds` after its first hit; returns the count. */
  hit(name: string, ttlSeconds: number, by?: number): Promise<number>;
  /** A value or a counter as text; undefined if it does not exist or has expired. */
  get(name: string): Promise<string | undefined>;
  /** Sets a value with an expiry. */
  set(name: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets a value unless there is one; of simultaneous calls, one gets true. For single runs and idempotency keys. */
  setIfNew(name: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Reads and removes a value; of simultaneous calls, one gets it. For values that may be used once. */
  take(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
  /** Takes one token out of a bucket that refills evenly; false if there is less than one. */
  draw(name: string, bucket: Bucket): Promise<boolean>;
  /** Starts a call under all limits, or under none: undefined if it started, otherwise the first reached limit. */
  enter(call: StartingCall, limits: readonly CallLimit[]): Promise<ReachedLimit | undefined>;
  /** Ends a call under these names, and counts its used tokens instead of the expected ones. */
  leave(call: EndedCall, names: readonly string[]): Promise<void>;
  /** Continues running calls under a name; calls that already count as ended stay so. */
  renew(name: string, ids: readonly string[]): Promise<void>;
  /**
   * Notifies every process that subscribed, including this one. A notice may be lost when a connection breaks: it
   * only speeds up what also happens without it (the change marks in the database), and nothing may depend on it.
   */
  publish(channel: string, notice: string): Promise<void>;
  /** Calls `listener` with each notice, until the returned function is called. */
  subscribe(channel: string, listener: (notice: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A bucket that is full at first, holds `capacity` at most and refills from nothing within `refillMs`. */
export interface Bucket {
  capacity: number;
  refillMs: number;
}

/**
 * What processes of one site share beside the database: counters, short-lived values, notices. Everything in it may be
 * lost at any moment (a full memory, a flushed Redis): it never holds money, sessions or anything else that is only here.
 * Times to live are whole seconds, at least 1. Every call may reject when the server behind it does not answer.
 */
export interface Cache {
  /** Counts `by` more under a name that is forgotten `ttlSeconds` after its first hit; answers the count. */
  hit(name: string, ttlSeconds: number, by?: number): Promise<number>;
  /** A value or a counter's figure as text; undefined when it is not there or its time is over. */
  get(name: string): Promise<string | undefined>;
  /** Keeps a value for a time, over what was there. */
  set(name: string, value: string, ttlSeconds: number): Promise<void>;
  /** Keeps a value unless there is one; of all who try at once, one gets true. For single runs and idempotency keys. */
  setIfNew(name: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Reads a value and removes it; of all who try at once, one gets it. For what may be used once. */
  take(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
  /** Takes one out of a bucket that refills evenly; false when there is not a whole one in it. */
  draw(name: string, bucket: Bucket): Promise<boolean>;
  /**
   * Tells every process that subscribed, this one too. A notice may be lost when a connection breaks: it hastens what
   * also happens without it (the change marks in the database), and nothing may depend on it.
   */
  publish(channel: string, notice: string): Promise<void>;
  /** Calls `listener` with each notice, until the answer is called. */
  subscribe(channel: string, listener: (notice: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

import type { Clock } from '../lib/clock.ts';
import { steppedBackMs } from './bucket.ts';
import { Listeners } from './listeners.ts';
import type { Cache } from './port.ts';

export interface RedisOptions {
  /** redis:// or rediss:// (REDIS_CONN_STRING). */
  url: string;
  /** Prefix of every name and channel, so that several sites may share a server. */
  prefix: string;
  clock: Clock;
  /** Called when the connection breaks; it reconnects automatically. */
  onError: (error: Error) => void;
}

/** INCR and its expiry in one step: a counter that lost its expiry to a crash would never expire. */
const HIT = `local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return count`;
/** GET and DEL in one step; GETDEL needs Redis 6.2. */
const TAKE = `local value = redis.call('GET', KEYS[1])
if value then redis.call('DEL', KEYS[1]) end
return value`;

/** `refilled` and taking in one step, as a script, because two processes may take at once. */
const DRAW = `local capacity, refill, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local left, last = tonumber(kept[1]) or capacity, tonumber(kept[2]) or now
left = math.min(capacity, left + math.max(0, now - last) / refill * capacity)
local at = math.max(last, now)
if last > now + tonumber(ARGV[4]) then at = now end
local drawn = left >= 1
if drawn then left = left - 1 end
redis.call('HSET', KEYS[1], 'left', string.format('%.17g', left), 'at', string.format('%.17g', at))
redis.call('PEXPIRE', KEYS[1], refill)
return drawn and 1 or 0`;

/** Timeout of a request: the caller has a fallback. */
const COMMAND_TIMEOUT_MS = 1000;

/** A cache shared through Redis 6 or newer. ioredis is loaded only here. */
export async function createRedisCache({ url, prefix, clock, onError }: RedisOptions): Promise<Cache> {
  const { Redis } = await import('ioredis');
  const options = {
    connectTimeout: 2000,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 2000),
    lazyConnect: true,
  };
  const redis = new Redis(url, options);
  redis.on('error', onError);
  const nameOf = (name: string): string => `${prefix}${name}`;
  const bus = createBus(() => new Redis(url, { ...options, autoResubscribe: false }), nameOf, onError);

  return {
    async hit(name, ttlSeconds, by = 1) {
      return Number(await redis.eval(HIT, 1, nameOf(name), by, ttlSeconds));
    },
    async get(name) {
      return (await redis.get(nameOf(name))) ?? undefined;
    },
    async set(name, value, ttlSeconds) {
      await redis.set(nameOf(name), value, 'EX', ttlSeconds);
    },
    async setIfNew(name, value, ttlSeconds) {
      return (await redis.set(nameOf(name), value, 'EX', ttlSeconds, 'NX')) === 'OK';
    },
    async take(name) {
      const value = await redis.eval(TAKE, 1, nameOf(name));
      return typeof value === 'string' ? value : undefined;
    },
    async remove(name) {
      await redis.del(nameOf(name));
    },
    async draw(name, { capacity, refillMs }) {
      const given = [capacity, Math.ceil(refillMs), clock(), steppedBackMs];
      return (await redis.eval(DRAW, 1, nameOf(name), ...given)) === 1;
    },
    async publish(channel, notice) {
      await redis.publish(nameOf(channel), notice);
    },
    subscribe: bus.subscribe,
    async close() {
      bus.close();
      redis.disconnect();
    },
  };
}

/** The part of ioredis that subscribing needs. */
interface Subscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, notice: string) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  disconnect(): void;
}

/**
 * A subscribed connection can do nothing else, so notices have their own connection, created with the first
 * subscription. Each time it connects it subscribes to all channels with listeners, so a server that is unavailable
 * at the start does no harm.
 */
function createBus(
  connect: () => Subscriber,
  nameOf: (channel: string) => string,
  onError: (error: Error) => void,
): Pick<Cache, 'subscribe'> & { close(): void } {
  const listeners = new Listeners();
  let connection: Subscriber | undefined;

  const ask = async (what: 'subscribe' | 'unsubscribe', channel: string): Promise<void> => {
    await connected()
      [what](channel)
      .catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  };
  const connected = (): Subscriber => {
    if (connection) return connection;
    connection = connect();
    connection.on('error', onError);
    connection.on('message', (channel, notice) => {
      listeners.notify(channel, notice);
    });
    connection.on('ready', () => {
      for (const channel of listeners.channels()) void ask('subscribe', channel);
    });
    return connection;
  };

  return {
    async subscribe(channel, listener) {
      const name = nameOf(channel);
      if (listeners.add(name, listener)) await ask('subscribe', name);
      return async () => {
        if (listeners.remove(name, listener)) await ask('unsubscribe', name);
      };
    },
    close() {
      listeners.clear();
      connection?.disconnect();
    },
  };
}

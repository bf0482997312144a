import type { Clock } from '../lib/clock.ts';
import { steppedBackMs } from './bucket.ts';
import { Listeners } from './listeners.ts';
import { countedSeconds } from './call-meter.ts';
import { callLeaseMs, type Cache, type ReachedLimit } from './port.ts';

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

/**
 * `CallMeter` of several names in one step. Keys: for each name the running calls by the end of their lease, and the
 * counts of each second (`r` requests, `t` tokens).
 */
const ENTER = `local now, id, tokens, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local second = math.floor(now / 1000)
local function limit(i, j) return tonumber(ARGV[1 + 3 * i + j]) end
for i = 1, #KEYS / 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[2 * i - 1], '-inf', now)
  redis.call('ZREMRANGEBYSCORE', KEYS[2 * i - 1], '(' .. (now + 2 * lease), '+inf')
  local calls = limit(i, 3)
  if calls > 0 and redis.call('ZCARD', KEYS[2 * i - 1]) >= calls then return {i, 'calls', 0} end
  local asked = {r = 1, t = math.min(tokens, limit(i, 2))}
  local sums, places = {r = 0, t = 0}, {r = {}, t = {}}
  local kept = redis.call('HGETALL', KEYS[2 * i])
  for k = 1, #kept, 2 do
    local at = tonumber(string.sub(kept[k], 2))
    if math.abs(second - at) >= ${countedSeconds} then redis.call('HDEL', KEYS[2 * i], kept[k])
    else
      local kind, count = string.sub(kept[k], 1, 1), tonumber(kept[k + 1])
      sums[kind] = sums[kind] + count
      table.insert(places[kind], {at, count})
    end
  end
  for j, kind in ipairs({'r', 't'}) do
    local most = limit(i, j)
    if most > 0 and sums[kind] > most - asked[kind] then
      local left, wait = sums[kind], ${countedSeconds} * 1000
      table.sort(places[kind], function(a, b) return a[1] < b[1] end)
      for _, place in ipairs(places[kind]) do
        left = left - place[2]
        if left <= most - asked[kind] then wait = (place[1] + ${countedSeconds}) * 1000 - now break end
      end
      return {i, kind == 'r' and 'requests' or 'tokens', math.ceil(wait)}
    end
  end
end
if id == '' then return {0} end
for i = 1, #KEYS / 2 do
  if limit(i, 3) > 0 then
    redis.call('ZADD', KEYS[2 * i - 1], now + lease, id)
    redis.call('PEXPIRE', KEYS[2 * i - 1], 2 * lease)
  end
  if limit(i, 1) > 0 or limit(i, 2) > 0 then
    redis.call('HINCRBY', KEYS[2 * i], 'r' .. second, 1)
    redis.call('HINCRBY', KEYS[2 * i], 't' .. second, tokens)
    redis.call('EXPIRE', KEYS[2 * i], ${2 * countedSeconds})
  end
end
return {0}`;
const LEAVE = `local second, started, used = tonumber(ARGV[1]), tonumber(ARGV[4]), tonumber(ARGV[5])
for i = 1, #KEYS / 2 do
  redis.call('ZREM', KEYS[2 * i - 1], ARGV[2])
  if used >= 0 then
    if redis.call('HEXISTS', KEYS[2 * i], 't' .. started) == 1 then redis.call('HINCRBY', KEYS[2 * i], 't' .. started, ARGV[3]) end
    redis.call('HINCRBY', KEYS[2 * i], 't' .. second, used)
    redis.call('EXPIRE', KEYS[2 * i], ${2 * countedSeconds})
  end
end`;
const RENEW = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2] / 2)
for i = 3, #ARGV do redis.call('ZADD', KEYS[1], 'XX', ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

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
  const keysOf = (names: readonly string[]): string[] =>
    names.flatMap((name) => [nameOf(`${name}:running`), nameOf(`${name}:seconds`)]);
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
    async enter({ id, tokens }, limits) {
      const given = limits.flatMap(({ requests, tokens: most, calls }) => [requests, most, calls]);
      const keys = keysOf(limits.map(({ name }) => name));
      const found = await redis.eval(ENTER, keys.length, ...keys, clock(), id, tokens, callLeaseMs, ...given);
      const [place, by, waitMs] = found as [number, ReachedLimit['by'], number];
      return place === 0 ? undefined : { name: limits[place - 1]!.name, by, waitMs };
    },
    async leave({ id, tokens, startedAt, used }, names) {
      const keys = keysOf(names);
      const [second, started] = [clock(), startedAt].map((at) => Math.floor(at / 1000)) as [number, number];
      await redis.eval(LEAVE, keys.length, ...keys, second, id, -tokens, started, used ?? -1);
    },
    async renew(name, ids) {
      const [running = ''] = keysOf([name]);
      await redis.eval(RENEW, 1, running, clock() + callLeaseMs, 2 * callLeaseMs, ...ids);
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

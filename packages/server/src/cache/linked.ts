import type { ProcessLink } from '../lib/processes/process-link.ts';
import { Listeners } from './listeners.ts';
import type { Cache, ReachedLimit } from './port.ts';

const shared = [
  'hit',
  'get',
  'set',
  'setIfNew',
  'take',
  'remove',
  'draw',
  'enter',
  'leave',
  'renew',
  'publish',
] as const;

/** Timeout of a request: the caller has a fallback. */
const patienceMs = 1_000;

/**
 * Lets the process at the other end use this cache. The returned function ends its subscriptions when that process
 * has ended.
 */
export function offerCache(link: ProcessLink, cache: Cache): () => Promise<void> {
  const subscriptions = new Map<string, Promise<() => Promise<void>>>();
  for (const name of shared) {
    link.offer(`cache:${name}`, (...given) =>
      (cache[name] as (...given: unknown[]) => Promise<unknown>)(...given),
    );
  }
  link.offer('cache:subscribe', async (name) => {
    const channel = String(name);
    const known = subscriptions.get(channel);
    const subscribed =
      known ?? cache.subscribe(channel, (notice) => link.notify('cache:notice', channel, notice));
    subscriptions.set(channel, subscribed);
    await subscribed;
  });
  return async () => {
    const ends = [...subscriptions.values()];
    subscriptions.clear();
    for (const end of ends) await (await end)();
  };
}

/**
 * The cache of the process at the other end of a link, offered there by `offerCache`. Rejects if that process does
 * not answer.
 */
export function createLinkedCache(link: ProcessLink): Cache {
  const listeners = new Listeners();
  link.offer('cache:notice', (channel, notice) => listeners.notify(String(channel), String(notice)));
  const ask = (name: string, ...given: unknown[]): Promise<unknown> =>
    link.askWithin(patienceMs, `cache:${name}`, ...given);
  const askText = async (name: string, ...given: unknown[]): Promise<string | undefined> => {
    const value = await ask(name, ...given);
    return typeof value === 'string' ? value : undefined;
  };

  return {
    hit: async (...given) => Number(await ask('hit', ...given)),
    get: (name) => askText('get', name),
    set: async (...given) => void (await ask('set', ...given)),
    setIfNew: async (...given) => (await ask('setIfNew', ...given)) === true,
    take: (name) => askText('take', name),
    remove: async (name) => void (await ask('remove', name)),
    draw: async (...given) => (await ask('draw', ...given)) === true,
    enter: async (...given) =>
      ((await ask('enter', ...given)) as ReachedLimit | null | undefined) ?? undefined,
    leave: async (...given) => void (await ask('leave', ...given)),
    renew: async (...given) => void (await ask('renew', ...given)),
    publish: async (...given) => void (await ask('publish', ...given)),
    async subscribe(channel, listener) {
      if (listeners.add(channel, listener)) await ask('subscribe', channel);
      return async () => void listeners.remove(channel, listener);
    },
    async close() {
      listeners.clear();
    },
  };
}

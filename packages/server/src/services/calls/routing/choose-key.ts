import type { Clock } from '../../../lib/clock.ts';
import type { Channel, RelayError } from '../../../relay/types/index.ts';
import { isKeyFault } from './again.ts';
import type { Health, HealthId } from './health.ts';
import { hashSession, stuckPlace } from './stick.ts';

/** Channels and keys with which a request has failed. */
export type TriedIds = ReadonlySet<HealthId>;

interface KeyChoiceDeps {
  /** A number in [0, 1). */
  random: () => number;
  clock: Clock;
  health: Pick<Health, 'available'>;
}

/** Half-life of the use counts, so that a key that was disabled for a long time does not get every call. */
const halfLifeMs = 60_000;

interface Use {
  count: number;
  /** Clock ms of the count. */
  at: number;
}

/** Chooses one of several keys of a channel for a call. */
export interface KeyChoice {
  /** True if a key is left; with `healthy`, one without a cooldown. Always true for a channel with one key. */
  isLeft(channel: Channel, tried: TriedIds, healthy: boolean): boolean;
  /**
   * The channel with its next key by its mode. Keys in cooldown and tried keys are used only if there is no other. A
   * session keeps its key; '' is no session.
   */
  choose(channel: Channel, tried: TriedIds, session?: string): Channel;
}

export function createKeyChoice({ random, clock, health }: KeyChoiceDeps): KeyChoice {
  /** Channel id → index of the next key. */
  const turns = new Map<number, number>();
  const uses = new Map<HealthId, Use>();

  const isUntried = (keyed: Channel, tried: TriedIds): boolean => !tried.has(healthId(keyed));
  const isHealthy = (keyed: Channel, tried: TriedIds): boolean =>
    isUntried(keyed, tried) && health.available(healthId(keyed));

  const usesOf = (keyed: Channel): number => {
    const use = uses.get(healthId(keyed));
    return use ? use.count * 2 ** ((use.at - clock()) / halfLifeMs) : 0;
  };

  /** Positions of the keys that a request may use. */
  const placesFor = (usable: readonly Channel[], tried: TriedIds): number[] => {
    for (const isGood of [isHealthy, isUntried]) {
      const places = usable.flatMap((keyed, place) => (isGood(keyed, tried) ? [place] : []));
      if (places.length > 0) return places;
    }
    return [...usable.keys()];
  };

  const placeOf = ({ id, keys: { mode, usable } }: SeveralKeys, tried: TriedIds, session: string): number => {
    const places = placesFor(usable, tried);
    if (session !== '') {
      const ids = places.map((place) => healthId(usable[place]!));
      return places[stuckPlace(hashSession(session), ids, () => 1)]!;
    }
    if (mode === 'polling') {
      const turn = turns.get(id) ?? 0;
      return places.find((place) => place >= turn) ?? places[0]!;
    }
    if (mode !== 'least_used') return places[Math.floor(random() * places.length)]!;
    return places.reduce((least, place) => (usesOf(usable[place]!) < usesOf(usable[least]!) ? place : least));
  };

  return {
    isLeft({ keys }, tried, healthy) {
      const isGood = healthy ? isHealthy : isUntried;
      return keys?.usable.some((keyed) => isGood(keyed, tried)) ?? true;
    },
    choose(channel, tried, session = '') {
      if (!hasSeveral(channel) || channel.keys.usable.length === 0) return channel;
      const place = placeOf(channel, tried, session);
      const keyed = channel.keys.usable[place]!;
      if (channel.keys.mode === 'polling') turns.set(channel.id, place + 1);
      else if (channel.keys.mode === 'least_used')
        uses.set(healthId(keyed), { count: usesOf(keyed) + 1, at: clock() });
      return keyed;
    },
  };
}

type SeveralKeys = Channel & { keys: NonNullable<Channel['keys']> };
const hasSeveral = (channel: Channel): channel is SeveralKeys => channel.keys !== undefined;

/** The target of a success or a failure: one of several keys, otherwise the channel. */
export const healthId = (channel: Channel): HealthId => channel.chosenKey?.id ?? channel.id;

/** The target of a failure, which a request does not retry: one of several keys, or the whole channel. */
export const failedPart = (channel: Channel, error: RelayError): HealthId =>
  isKeyFault(error) ? healthId(channel) : channel.id;

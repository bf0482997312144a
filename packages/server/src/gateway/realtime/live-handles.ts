import type { Usage } from '@tollgate/contract';
import { parseObject } from '../../lib/json.ts';
import type { Sealer } from '../../lib/seal.ts';

/** A session that its upstream can resume, and where. */
export interface LivePlace {
  /** The upstream's handle. */
  handle: string;
  /** The upstream's name of the model. */
  model: string;
  channelId: number;
  /** '' for a channel with one key. */
  keyId: string;
  /** Usage of the last response: the conversation that the next one reads. */
  usage: Usage | undefined;
}

/**
 * Handles of sessions that callers resume. They contain the channel and the key, sealed for their owner, so that all
 * processes of a site know them and none is stored.
 */
export interface LiveHandles {
  seal(userId: number, place: LivePlace): string;
  /** Undefined for a handle of somebody else, and for any other text. */
  open(userId: number, handle: string): LivePlace | undefined;
}

/** Opens the handles of sessions. */
export function createLiveHandles({ sealer }: { sealer: Sealer }): LiveHandles {
  const placeOf = (row: number) => ({ column: 'live_handle', row });
  return {
    seal: (userId, place) => sealer.seal(JSON.stringify(place), placeOf(userId)),
    open(userId, handle) {
      try {
        const place: unknown = parseObject(sealer.open(handle, placeOf(userId)));
        return place as LivePlace | undefined;
      } catch {
        return undefined;
      }
    },
  };
}

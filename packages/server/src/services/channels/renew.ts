import { type Db, channels as channelRows, keyRenewals } from '../../store/index.ts';
import { refuse } from '../../relay/types/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { openKey, sealKey } from './keys.ts';
import type { Channels, KeyRenewal } from './service.ts';
import type { ChannelRow } from './types.ts';

/** A vendor that has not answered by then will not: its question is given up long before. */
const leaseMs = 60_000;
/** How long, and in which steps, the end of another process's renewal is waited for. */
const pauseMs = 250;
const pauses = 240;
/** What a vendor handed out must not be lost to a database that is away for a moment. */
const storeTries = 4;

/**
 * Renews keys of channels that end. A vendor takes the word by which it is renewed once: a process that
 * renews says so in a row first, and all others wait for what comes of it.
 */
export function channelRenewal(deps: ChannelsDeps): Pick<Channels, 'renewKey'> {
  return {
    async renewKey(id, renewal) {
      for (let pause = 0; pause < pauses; pause += 1) {
        const row = await rowOf(deps.db, id);
        const key = openKey(deps.sealer, row);
        if (renewal.isGood(key)) return key;
        const now = deps.clock();
        if (await keyRenewals.begin(deps.db, row.key_hash, { now, until: now + leaseMs })) {
          const renewed = await renewOnce(deps, row, key, renewal);
          if (renewed !== undefined) return renewed;
        } else await renewal.sleep(pauseMs);
      }
      throw refuse('vendor_question_failed');
    },
  };
}

async function rowOf(db: Db, id: number): Promise<ChannelRow> {
  const row = await channelRows.find(db, id);
  if (!row) throw refuse('vendor_question_failed');
  return row;
}

/** Renews a key that this process alone may renew; undefined where it was changed before it came to that. */
async function renewOnce(
  deps: ChannelsDeps,
  row: ChannelRow,
  key: string,
  renewal: KeyRenewal,
): Promise<string | undefined> {
  const { key_hash: hash } = row;
  try {
    const now = await rowOf(deps.db, row.id);
    // Another process may have ended its renewal between our look and our claim.
    if (now.key_hash !== hash) return undefined;
    const renewed = await renewal.renew(key);
    await storeSurely(deps, hash, renewed, renewal);
    return renewed;
  } finally {
    await keyRenewals.end(deps.db, hash).catch((cause: unknown) => {
      deps.log.warn(
        { channel: row.id, err: cause },
        'the renewal of a key could not be ended in the database',
      );
    });
  }
}

/** Stores a renewed key, and tries so several times: with the old one nothing can be done any more. */
async function storeSurely(
  deps: ChannelsDeps,
  hash: string,
  renewed: string,
  renewal: KeyRenewal,
): Promise<void> {
  for (let left = storeTries; left > 0; left -= 1) {
    try {
      return await changing(deps, (db) => replaceAll(deps, db, hash, renewed));
    } catch (cause) {
      // The calls of this process go on with what it has.
      deps.log.error({ err: cause }, 'the renewed key of a channel could not be stored');
      await renewal.sleep(pauseMs);
    }
  }
}

/** Every channel with the same key gets the new one: a copy would spend the old one again. */
async function replaceAll({ sealer }: ChannelsDeps, db: Db, hash: string, renewed: string): Promise<void> {
  for (const { id } of await channelRows.withKey(db, hash)) {
    await channelRows.replaceKey(db, id, hash, sealKey(sealer, id, renewed));
  }
}

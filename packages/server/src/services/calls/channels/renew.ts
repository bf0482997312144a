import { type Db, channels as channelRows, keyRenewals } from '../../../store/index.ts';
import { refuse } from '../../../relay/types/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { openKey, sealKey } from './keys.ts';
import type { Channels, KeyRenewal } from './service.ts';
import type { ChannelRow } from './types.ts';

/** Timeout of a renewal; a vendor's call is aborted long before. */
const leaseMs = 60_000;
/** Maximum time and interval of waiting for another process's renewal. */
const pauseMs = 250;
const pauses = 240;
/** A token issued by a vendor must not be lost because the database is unavailable for a moment. */
const storeTries = 4;

/**
 * Renews keys of channels that expire. A vendor accepts a refresh token once: a process that renews writes a row
 * first, and all others wait for its result.
 */
export function channelRenewal(deps: ChannelsDeps): Pick<Channels, 'renewKey'> {
  return {
    async renewKey(id, renewal) {
      for (let pause = 0; pause < pauses; pause += 1) {
        const row = await findRow(deps.db, id);
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

async function findRow(db: Db, id: number): Promise<ChannelRow> {
  const row = await channelRows.find(db, id);
  if (!row) throw refuse('vendor_question_failed');
  return row;
}

/** Renews a key that only this process may renew; undefined if it was changed before. */
async function renewOnce(
  deps: ChannelsDeps,
  row: ChannelRow,
  key: string,
  renewal: KeyRenewal,
): Promise<string | undefined> {
  const { key_hash: hash } = row;
  try {
    const now = await findRow(deps.db, row.id);
    // Another process may have finished its renewal between our read and our claim.
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

/** Stores a renewed key, with several attempts, because the old key is no longer valid. */
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
      // The calls of this process continue with the new key.
      deps.log.error({ err: cause }, 'the renewed key of a channel could not be stored');
      await renewal.sleep(pauseMs);
    }
  }
}

/** All channels with the same key get the new one: a copy would use the old one again. */
async function replaceAll({ sealer }: ChannelsDeps, db: Db, hash: string, renewed: string): Promise<void> {
  for (const { id } of await channelRows.withKey(db, hash)) {
    await channelRows.replaceKey(db, id, hash, sealKey(sealer, id, renewed));
  }
}

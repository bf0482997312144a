import type { Sealer, SealPlace } from '../../lib/seal.ts';
import { type Db, keptKeys } from '../../store/index.ts';

const name = 'founding';

/** Where the founding key is sealed for. */
export const foundingPlace: SealPlace = { column: 'kept_keys.key', row: name };

/** The keys that a process was given. */
export interface GivenKeys {
  current: Buffer;
  /** What secrets may still be sealed with; undefined while no rotation is under way. */
  former: Buffer | undefined;
}

/**
 * The first master key of a database. Hashes of passwords and recovery codes and the names of passkeys' users are made
 * with it and cannot be made anew, so it stays, sealed, when the master key changes. Throws where the keys that are
 * given are not this database's: a wrong key must not begin to make hashes.
 */
export async function foundingKey(db: Db, sealer: Sealer, { current, former }: GivenKeys): Promise<Buffer> {
  if (former && (await keptKeys.find(db, name)) === undefined)
    await keptKeys.keep(db, name, sealer.seal(former.toString('base64'), foundingPlace));
  const kept = await keptKeys.find(db, name);
  if (kept === undefined) return current;
  try {
    return Buffer.from(sealer.open(kept, foundingPlace), 'base64');
  } catch {
    throw new Error('the master key is not that of this database (SECRET_KEY, or secret.key beside it)');
  }
}

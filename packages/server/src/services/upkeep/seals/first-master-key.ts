import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, keptKeys } from '../../../store/index.ts';

const name = 'founding';

/** The seal place of the first key. */
export const firstKeyPlace: SealPlace = { column: 'kept_keys.key', row: name };

/** The keys given to a process. */
export interface GivenKeys {
  current: Buffer;
  /** The key with which secrets may still be encrypted; undefined if no rotation is running. */
  former: Buffer | undefined;
}

/**
 * The first master key of a database. Hashes of passwords and recovery codes and the user handles of passkeys depend
 * on it and cannot be recomputed, so it is kept, encrypted, when the master key changes. Throws if the given keys are
 * not those of this database: a wrong key must not be used for new hashes.
 */
export async function firstMasterKey(
  db: Db,
  sealer: Sealer,
  { current, former }: GivenKeys,
): Promise<Buffer> {
  if (former && (await keptKeys.find(db, name)) === undefined)
    await keptKeys.keep(db, name, sealer.seal(former.toString('base64'), firstKeyPlace));
  const kept = await keptKeys.find(db, name);
  if (kept === undefined) return current;
  try {
    return Buffer.from(sealer.open(kept, firstKeyPlace), 'base64');
  } catch {
    throw new Error('the master key is not that of this database (SECRET_KEY, or secret.key beside it)');
  }
}

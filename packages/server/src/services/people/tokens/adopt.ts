import { AppError } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { MovedToken } from '../../../store/index.ts';
import { tidyAllowList } from './allow-list.ts';
import { keyPlace } from './read.ts';
import { isOurForm, keyHint, otherKeyHash } from './resolve.ts';

/** A key from another gateway. */
export interface AdoptedToken extends Omit<
  MovedToken,
  'key_hash' | 'key_sealed' | 'key_hint' | 'deleted_at'
> {
  /** In clear text without the prefix `sk-`; or its hash if the other gateway keeps no more, and what lists may show. */
  key: string | { hash: string; hint: string };
}

/** The hash by which a key from another gateway is found. */
export const adoptedHash = (key: AdoptedToken['key']): string =>
  typeof key !== 'string' ? key.hash : isOurForm(key) ? sha256(key) : otherKeyHash(key);

/**
 * The row of an imported key with its text unchanged. An invalid list of addresses stays and admits no address, which is
 * returned as `fault`.
 */
export function adoptToken(
  { key, ...columns }: AdoptedToken,
  { sealer, hashOnly }: { sealer: Sealer; hashOnly: boolean },
): { row: MovedToken; fault?: 'addresses' } {
  const owned = { user_id: columns.user_id, key_hash: adoptedHash(key) };
  const addresses = tidyOrNull(columns.allow_ips);
  const row: MovedToken = {
    ...columns,
    ...owned,
    key_sealed: hashOnly || typeof key !== 'string' ? '' : sealer.seal(key, keyPlace(owned)),
    key_hint: typeof key === 'string' ? keyHint(key) : key.hint,
    allow_ips: addresses ?? columns.allow_ips,
    deleted_at: null,
  };
  return addresses === null ? { row, fault: 'addresses' } : { row };
}

function tidyOrNull(list: string): string | null {
  try {
    return tidyAllowList(list);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

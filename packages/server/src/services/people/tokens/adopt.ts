import { AppError, tokenStatus } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { MovedToken } from '../../../store/index.ts';
import { tidyAllowList } from './allow-list.ts';
import { keyPlace } from './read.ts';
import { keyHint, keyLength } from './resolve.ts';

/** A key from another gateway, in clear text. */
export interface AdoptedToken extends Omit<
  MovedToken,
  'key_hash' | 'key_sealed' | 'key_hint' | 'team_id' | 'deleted_at'
> {
  /** Without the prefix `sk-`. */
  key: string;
}

/** Reason why an imported key cannot be used: its length differs from ours, or its list of addresses is invalid. */
type TokenFault = 'length' | 'addresses';

/**
 * The row of an imported key with its text unchanged. A key that callers could not use here is disabled. An invalid
 * list of addresses stays and admits no address.
 */
export function adoptToken(
  { key, ...columns }: AdoptedToken,
  { sealer, hashOnly }: { sealer: Sealer; hashOnly: boolean },
): { row: MovedToken; fault?: TokenFault } {
  const owned = { user_id: columns.user_id, key_hash: sha256(key) };
  const addresses = tidyOrNull(columns.allow_ips);
  const isUsable = key.length === keyLength;
  const row: MovedToken = {
    ...columns,
    ...owned,
    key_sealed: hashOnly ? '' : sealer.seal(key, keyPlace(owned)),
    key_hint: keyHint(key),
    allow_ips: addresses ?? columns.allow_ips,
    status: isUsable || columns.status !== tokenStatus.enabled ? columns.status : tokenStatus.disabled,
    team_id: 0,
    deleted_at: null,
  };
  if (!isUsable) return { row, fault: 'length' };
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

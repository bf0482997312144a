import type { Generated } from 'kysely';
import type { AccessTokenScope } from '@tollgate/contract';

/** A system access token. Times are Unix seconds. */
export interface AccessTokenTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  name: string;
  scope: AccessTokenScope;
  created_time: number;
  /** 0 for never. */
  used_time: number;
  /** 0 for never. */
  expires_time: number;
}

import type { TokenChange, TokenData, TokenInput } from '@tollgate/contract';
import { createFirstToken, createToken, type Owner } from './create.ts';
import type { TokenActs, TokensDeps } from './deps.ts';
import { findOwner, findStoredToken, getToken, listTokens, searchTokens } from './read.ts';
import { createKeyResolver, type KeyResolver, type TokenOwner } from './resolve.ts';
import { editToken, removeToken, setTokenStatus } from './update.ts';

/** API keys: what their owners do with them, and who is behind one. Acts throw their refusals as AppErrors. */
export interface Tokens {
  /** Who is behind a relay call's key. */
  keys: KeyResolver;
  /** A user who calls without a token, in the playground; null when he is gone. */
  owner(userId: number): Promise<TokenOwner | null>;
  list(owner: Owner, slice: { offset: number; limit: number }): Promise<TokenData[]>;
  search(owner: Owner, query: { keyword: string; token: string }): Promise<TokenData[]>;
  get(owner: Owner, id: number): Promise<TokenData>;
  /** `requestId` names the ledger entry of the allowance. */
  create(owner: Owner, input: TokenInput, requestId: string): Promise<TokenData>;
  /** The token that a newcomer is given. */
  createFirst(user: { id: number; username: string }, requestId: string): Promise<void>;
  edit(owner: Owner, change: TokenChange, requestId: string): Promise<TokenData>;
  setStatus(owner: Owner, change: { id: number; status: number | undefined }): Promise<TokenData>;
  remove(owner: Owner, id: number): Promise<void>;
}

export function createTokens(deps: TokensDeps): Tokens {
  const keys = createKeyResolver({ clock: deps.clock, find: (keyHash) => findStoredToken(deps.db, keyHash) });
  const acts: TokenActs = { ...deps, keys };
  return {
    keys,
    owner: (userId) => findOwner(acts.db, userId),
    list: (owner, slice) => listTokens(acts, owner, slice),
    search: (owner, query) => searchTokens(acts, owner, query),
    get: (owner, id) => getToken(acts, owner, id),
    create: (owner, input, requestId) => createToken(acts, owner, input, requestId),
    createFirst: (user, requestId) => createFirstToken(acts, user, requestId),
    edit: (owner, change, requestId) => editToken(acts, owner, change, requestId),
    setStatus: (owner, change) => setTokenStatus(acts, owner, change),
    remove: (owner, id) => removeToken(acts, owner, id),
  };
}

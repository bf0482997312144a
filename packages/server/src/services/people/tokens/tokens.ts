import type { Language, TokenChange, TokenData, TokenInput } from '@tollgate/contract';
import { createFirstToken, createToken } from './create.ts';
import type { TokensDeps } from './deps.ts';
import {
  findOwner,
  getToken,
  listTokens,
  type Owner,
  searchTokens,
  type TokenQuery,
  type TokenSlice,
} from './read.ts';
import type { TokenOwner } from './resolve.ts';
import { editToken, removeToken, setTokenStatus } from './update.ts';

/** API keys in their owners' view. Functions throw their refusals as AppErrors. */
export interface Tokens {
  /** A user who calls without a token, in the playground; null if the user was deleted. */
  owner(userId: number): Promise<TokenOwner | null>;
  list(owner: Owner, slice: TokenSlice): Promise<TokenData[]>;
  search(owner: Owner, query: TokenQuery): Promise<TokenData[]>;
  get(owner: Owner, id: number): Promise<TokenData>;
  /** `requestId` names the ledger entry of the allowance. */
  create(owner: Owner, input: TokenInput, requestId: string): Promise<TokenData>;
  /** The first token of a new user, named in the user's language. */
  createFirst(user: { id: number; username: string }, requestId: string, language?: Language): Promise<void>;
  edit(owner: Owner, change: TokenChange, requestId: string): Promise<TokenData>;
  setStatus(owner: Owner, change: { id: number; status: number | undefined }): Promise<TokenData>;
  remove(owner: Owner, id: number): Promise<void>;
}

export const createTokens = (deps: TokensDeps): Tokens => ({
  owner: (userId) => findOwner(deps.db, userId),
  list: (owner, slice) => listTokens(deps, owner, slice),
  search: (owner, query) => searchTokens(deps, owner, query),
  get: (owner, id) => getToken(deps, owner, id),
  create: (owner, input, requestId) => createToken(deps, owner, input, requestId),
  createFirst: (user, requestId, language) => createFirstToken(deps, user, requestId, language),
  edit: (owner, change, requestId) => editToken(deps, owner, change, requestId),
  setStatus: (owner, change) => setTokenStatus(deps, owner, change),
  remove: (owner, id) => removeToken(deps, owner, id),
});

import type { IncomingMessage } from 'node:http';
import {
  type KeyResolver,
  readCredential,
  type Resolution,
  type ResolvedToken,
} from '../../services/tokens/index.ts';
import type { Caller } from '../call/index.ts';
import { tableError } from '../../relay/types/index.ts';

const callerOf = (token: ResolvedToken): Caller => ({
  userId: token.owner.id,
  accountId: token.owner.accountId,
  username: token.owner.username,
  role: token.owner.role,
  userGroup: token.owner.group,
  acceptUnsetPrice: token.owner.acceptUnsetPrice,
  tokenId: token.id,
  tokenName: token.name,
  tokenGroup: token.group,
  tokenUnlimited: token.unlimited,
  modelLimits: token.modelLimits,
  pinnedChannelId: token.pinnedChannelId,
});

function admitted(resolution: Resolution): Caller {
  if (resolution.kind === 'refusal') throw tableError(resolution.error, resolution.values);
  return callerOf(resolution);
}

/**
 * The caller behind a request's key, whatever carries it (docs/compatibility.md#relay-keys). Answers at once for keys
 * known in memory.
 */
export function identifyByKey(
  keys: Pick<KeyResolver, 'resolve'>,
  req: Pick<IncomingMessage, 'headers'>,
  path: string,
  query: string,
  ip: string,
): Caller | Promise<Caller> {
  const resolution = keys.resolve(readCredential(path, query, req.headers), ip);
  return resolution instanceof Promise ? resolution.then(admitted) : admitted(resolution);
}

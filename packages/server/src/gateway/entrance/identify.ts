import type { IncomingMessage } from 'node:http';
import {
  type KeyResolver,
  readCredential,
  type Resolution,
  type ResolvedToken,
} from '../../services/tokens/index.ts';
import type { Caller } from '../call/index.ts';
import { tableError } from '../../relay/types/index.ts';

/** Callers by the token they stand for: made once, then shared, so that a known key costs nothing more. */
const callers = new WeakMap<ResolvedToken, Caller>();

function callerOf(token: ResolvedToken): Caller {
  let caller = callers.get(token);
  if (!caller) {
    caller = {
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
    };
    callers.set(token, caller);
  }
  return caller;
}

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

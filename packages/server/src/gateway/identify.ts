import type { IncomingMessage } from 'node:http';
import { RelayError } from '../relay/model/relay-error.ts';
import {
  type KeyRefusal,
  type KeyResolver,
  readCredential,
  type Resolution,
  type ResolvedToken,
} from '../services/tokens/index.ts';
import type { Caller } from './types.ts';

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

const refusalError = ({ status, code, message }: KeyRefusal): RelayError =>
  new RelayError({ status, code, message, blame: 'caller' });

function admitted(resolution: Resolution): Caller {
  if (resolution.kind === 'refusal') throw refusalError(resolution);
  return callerOf(resolution);
}

/** The caller behind a request's key, whatever carries it (wire-facts 2.3). Answers at once for keys known in memory. */
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

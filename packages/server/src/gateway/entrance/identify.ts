import type { IncomingMessage } from 'node:http';
import { type KeyResolver, readCredential, type ResolvedToken } from '../../services/people/tokens/index.ts';
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
  maskedKey: token.maskedKey,
  tokenGroup: token.group,
  tokenUnlimited: token.unlimited,
  modelLimits: token.modelLimits,
  pinnedChannelId: token.pinnedChannelId,
  team: token.team,
});

/** The parts of a request that identify its caller, beside its headers. */
interface CallerMarks {
  path: string;
  query: string;
  ip: string;
  /** Set for reads without a cost, which a key may do when it is used up or expired. */
  isReader?: boolean;
}

/**
 * The caller of a request, by its key, wherever the request has it (docs/compatibility.md#relay-keys).
 */
export async function identifyByKey(
  keys: Pick<KeyResolver, 'resolve' | 'resolveReader'>,
  req: Pick<IncomingMessage, 'headers'>,
  { path, query, ip, isReader = false }: CallerMarks,
): Promise<Caller> {
  const raw = readCredential(path, query, req.headers);
  const resolution = await (isReader ? keys.resolveReader(raw, ip) : keys.resolve(raw, ip));
  if (resolution.kind === 'refusal') throw tableError(resolution.error, resolution.values);
  return callerOf(resolution);
}

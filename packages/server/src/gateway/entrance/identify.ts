import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { tableError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { type KeyResolver, readCredential, type ResolvedToken } from '../../services/people/tokens/index.ts';
import type { Caller, GatewayDeps } from '../call/index.ts';
import { quotaRefusal } from '../hold/index.ts';

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

interface FundsCheckDeps extends Pick<GatewayDeps, 'showQuota'> {
  /** Balance of an account, what is left of a token and of a member's limit (undefined where there is none), in quota units. */
  fundsOf(
    caller: Caller,
  ): Promise<{ balance: number; token: number | undefined; member?: number | undefined }>;
}

/** For this long, a caller with a balance is assumed to still have one. The hold decides in any case. */
const assumeSolventMs = 5_000;
const maxKnown = 50_000;

/**
 * Checks that a caller has any balance before a body is read, which may be long. Does not query the database for callers that
 * had a balance a moment ago. Rejects with the error that the hold would give; resolves if the rows cannot be read.
 */
export function createFundsCheck(deps: FundsCheckDeps): (caller: Caller) => Promise<void> {
  // Bounded by size, because `max` would allocate the memory for all entries at once.
  const solvent = new LRUCache<string, true>({
    maxSize: maxKnown,
    sizeCalculation: () => 1,
    ttl: assumeSolventMs,
  });
  const look = async (caller: Caller, key: string): Promise<void> => {
    const found = await deps.fundsOf(caller).catch(() => undefined);
    if (!found) return;
    const { balance, token, member } = found;
    if (token !== undefined && token <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('token', token, 1), caller);
    if (member !== undefined && member <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('member', member, 1), caller);
    if (balance <= 0) throw quotaRefusal(deps, new InsufficientQuota('account', balance, 1), caller);
    solvent.set(key, true);
  };
  return async (caller) => {
    const key = `${caller.accountId} ${caller.tokenId}`;
    if (!solvent.has(key)) await look(caller, key);
  };
}

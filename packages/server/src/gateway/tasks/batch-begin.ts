import type { JsonObject } from '../../lib/json.ts';
import { randomText } from '../../lib/random.ts';
import { ownBatchObject } from '../../relay/tasks/index.ts';
import { refuse } from '../../relay/types/index.ts';
import { partsOf, sizeOfPart } from '../../services/calls/routing/index.ts';
import type { OwnBatch, Task } from '../../services/calls/tasks/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import type { RelayCall } from '../call/index.ts';
import { enterRun, readTags } from '../entrance/index.ts';
import { callBudgets, quotaRefusal, readCeiling } from '../hold/index.ts';
import type { BatchLine, BatchOrder, BatchPlan } from './batch-plan.ts';
import type { TaskDeps } from './deps.ts';

/** Vendors end batches after a day, and keep results longer. */
const limitMs = 7 * 24 * 3_600_000;
/** Window of a batch that the gateway works through. */
const ownWindowMs = 24 * 3_600_000;
/** Calls that are stored at once. */
const storedAtOnce = 50;

/** A batch before its hold. */
interface BegunBatch {
  api: BatchOrder['api'];
  plan: BatchPlan;
  request: JsonObject;
  /** Set if the gateway makes the calls itself. */
  own?: OwnBatch;
}

/** The ids for callers begin with these. */
const idStarts = { openai: 'batch_', anthropic: 'msgbatch_', gemini: 'gbatch_' } as const;

/** Takes the hold and writes the batch. Throws the refusal. */
export async function beginBatch(
  { gateway, batches }: TaskDeps,
  relayCall: RelayCall,
  { api, plan, request, own }: BegunBatch,
): Promise<Task> {
  const { caller, requestId } = relayCall;
  const { team, username, userGroup, tokenId, tokenName } = caller;
  const { group, prices, items, amount, tokens, channel, protocol } = plan;
  const [{ model, snapshot } = { model: '', snapshot: undefined }] = prices;
  if (!snapshot) throw new Error('a batch was planned without a price');
  const tags = readTags(relayCall, request);
  const ofRun = await enterRun(gateway, relayCall);
  const payer = {
    requestId,
    accountId: caller.accountId,
    userId: caller.userId,
    tokenId,
    tokenUnlimited: caller.tokenUnlimited,
    memberId: team?.memberId ?? 0,
    budgets: callBudgets(gateway, caller, group, model, ofRun),
    channelId: channel.id,
    amount,
    tokens,
    request: '',
  };
  const bill = {
    username,
    userGroup,
    tokenId,
    tokenName,
    team: team && { id: team.id, name: team.name },
    ...(tags && { tags }),
    group,
    snapshot,
    prices,
    extras: {},
    ...(own && { own }),
    ...(readCeiling(gateway, relayCall.req) !== undefined && { isCeiled: true }),
    settledAt: 0,
  };
  const batch = {
    idStart: idStarts[api],
    api,
    model,
    request: { ...request, protocol, requests: items.length },
    bill,
    hold: payer,
    items,
    limitMs,
    ...(own && { result: { batch: firstObject(api, items.length, gateway.clock(), own) } }),
  };
  try {
    return await gateway.ledger.whenReleased({ payer, caller: relayCall.res }, () => batches.begin(batch));
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw quotaRefusal(gateway, error, caller, 'task');
  }
}

const firstObject = (
  api: BatchOrder['api'],
  total: number,
  now: number,
  { expiresAt }: OwnBatch,
): JsonObject =>
  ownBatchObject(api === 'anthropic' ? 'anthropic' : 'openai', {
    startedAt: now,
    expiresAt,
    endedAt: 0,
    total,
    answered: 0,
    failed: 0,
    leftItems: 0,
    answers: null,
    errors: null,
  });

/** Headers of the caller that the calls get. */
const passedHeaders = ['anthropic-version', 'anthropic-beta', 'openai-beta'];

/** The calls of a batch that the gateway makes itself, on their way into its database. */
export class OwnCalls {
  private readonly deps: TaskDeps;
  private readonly relayCall: RelayCall;
  private readonly object: string;
  private waiting: Awaited<ReturnType<TaskDeps['gateway']['keptParts']['seal']>>[] = [];
  private path = '';
  private room: number | undefined;

  constructor(deps: TaskDeps, relayCall: RelayCall) {
    this.deps = deps;
    this.relayCall = relayCall;
    this.object = partsOf(`calls ${relayCall.requestId}`);
  }

  /** Keeps a call; returns its bytes. */
  async add({ name, place, path }: BatchLine, body: Buffer): Promise<number> {
    const { keptParts } = this.deps.gateway;
    this.path = path;
    const { userId } = this.relayCall.caller;
    this.room ??= await keptParts.room(userId);
    const text = JSON.stringify({ name, body: body.toString() });
    const sealed = await keptParts.seal({ object: this.object, userId, place }, text);
    this.room -= sizeOfPart(sealed);
    if (this.room < 0) throw refuse('files_full', { limit: this.deps.maxUserFilesMb });
    this.waiting.push(sealed);
    if (this.waiting.length >= storedAtOnce) await this.store();
    return body.length;
  }

  private async store(): Promise<void> {
    const some = this.waiting;
    this.waiting = [];
    await this.deps.gateway.keptParts.add(some);
  }

  /** Takes the hold of the batch. Its calls count among the files of its user. Throws the refusal. */
  async begin({ api, key }: BatchOrder, plan: BatchPlan, request: JsonObject): Promise<Task> {
    const { gateway, maxUserFilesMb } = this.deps;
    const { relayCall } = this;
    const { caller, req, requestId } = relayCall;
    await this.store();
    const entry = { userId: caller.userId, requestId, api: api === 'anthropic' ? api : 'openai' } as const;
    if (!(await gateway.vendorFiles.reserve(entry, { id: 0, keyId: '' }, plan.bytes)))
      throw refuse('files_full', { limit: maxUserFilesMb });
    const headers = passedHeaders.flatMap((name): [string, string][] => {
      const value = req.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const own: OwnBatch = {
      path: this.path,
      headers: Object.fromEntries(headers),
      calls: this.object,
      answers: `file-${randomText(32)}`,
      errors: `file-${randomText(32)}`,
      channelId: plan.channel.id,
      key,
      acceptUnsetPrice: caller.acceptUnsetPrice,
      expiresAt: gateway.clock() + ownWindowMs,
    };
    try {
      return await beginBatch(this.deps, relayCall, { api, plan, request, own });
    } catch (error) {
      await gateway.vendorFiles.drop(entry);
      throw error;
    }
  }

  /** Forgets the calls of a batch that was refused. */
  async drop(): Promise<void> {
    const { keptParts, log } = this.deps.gateway;
    await keptParts.remove(this.object).catch((err: unknown) => {
      log.error({ err }, 'the calls of a refused batch stay until they expire');
    });
  }
}

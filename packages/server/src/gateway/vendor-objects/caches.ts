import { channelStatus, price, usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import { randomText } from '../../lib/random.ts';
import { sha256 } from '../../lib/hash.ts';
import { type Channel, refuse, RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import { applyModelMapping } from '../../relay/outgoing.ts';
import { type Sale, type Sales, type Storage, storageCost } from '../../services/calls/tasks/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import type { Admission, GatewayDeps, RelayCall } from '../call/index.ts';
import {
  admit,
  admitRate,
  checkRule,
  checkTags,
  enterRun,
  pricedAdmission,
  readRunPath,
  ruleBar,
  usingGroups,
} from '../entrance/index.ts';
import { chooseGroup, continuedChannel, noFile, routeOf } from '../failover/index.ts';
import { callBudgets, holdRequest, quotaRefusal, readCeiling, takeHold, tooLow } from '../hold/index.ts';
import { ask, behindOf, filesUrl, prepare } from './files.ts';
import { book, servedFacts } from '../settle/index.ts';
import { withoutBody } from '../tasks/index.ts';

/** Dependencies of content that vendors cache for callers. */
export interface CacheDeps {
  gateway: GatewayDeps;
  sales: Sales;
}

/** The life of cached content: seconds from now, or its end in Unix ms. */
export interface CacheLife {
  seconds?: number | undefined;
  end?: number | undefined;
}

/** A call that caches content. */
export interface NewCache {
  /** The caller, with the content as a request to its model. */
  relayCall: RelayCall;
  /** The body for the vendor, without the model. */
  body: JsonObject;
  life: CacheLife;
}

/** Google's default. */
const usualSeconds = 3_600;
/** Time for the vendor's answer; then the hold is released. */
const makingMs = 600_000;

/** Milliseconds of a life from now on. */
const lifeMs = ({ seconds = usualSeconds, end }: CacheLife, now: number): number =>
  Math.max(0, end === undefined ? seconds * 1_000 : end - now);

/**
 * Caches content at a channel that does so. Its input is charged as the vendor counts it. Its storage is held for its
 * whole life by a row of its own, and charged when it ends. Resolves to the vendor's description.
 */
export async function createCache(deps: CacheDeps, { relayCall, body, life }: NewCache): Promise<JsonObject> {
  const { gateway, sales } = deps;
  const { caller, facts } = relayCall;
  const groups = admit(gateway, relayCall);
  const continued = await continuedChannel(gateway, relayCall, groups);
  const group = continued?.group ?? chooseGroup(gateway, relayCall, groups);
  checkTags(gateway, relayCall, group);
  await admitRate(gateway.rate, caller, group);
  const channel = continued?.channel ?? chooseChannel(gateway, relayCall, group);
  const url = filesUrl(gateway, 'caches', channel);
  const admission = pricedAdmission(gateway, relayCall, group, channel);
  const perMillion = gateway.pricing.storagePrice(admission.pricedModel, group, {
    acceptUnset: caller.acceptUnsetPrice,
    userGroup: caller.userGroup,
  });
  if (perMillion === undefined) throw refuse('model_price_error', { model: admission.pricedModel });
  const call = await prepare(gateway, relayCall, channel);
  const ofRun = await enterRun(gateway, relayCall);
  const request = holdRequest(gateway, relayCall, admission, channel, ofRun);
  const ceiling = readCeiling(gateway, relayCall.req);
  const hold = await takeHold(gateway, relayCall, admission.snapshot, request, channel, ceiling);
  await hold.durable;
  faultPoint('hold-taken');
  let isCharged = false;
  let sale: Sale | undefined;
  try {
    const estimate = { unitsPerHour: (perMillion * hold.inputTokens) / 1e6, since: gateway.clock() };
    const ms = lifeMs(life, estimate.since);
    sale = await holdExtra(deps, relayCall, {
      group: admission.group,
      name: `cache:${facts.model}`,
      amount: storageCost({ ...estimate, until: estimate.since + ms }),
      ms: makingMs,
      model: facts.model,
    });
    const upstreamModel = applyModelMapping(channel.modelMapping, facts.model);
    const sent = Buffer.from(JSON.stringify({ ...body, model: `models/${upstreamModel}` }));
    const made = parseObject((await askJson(gateway, channel, call, 'POST', url, sent)).body);
    if (!made || textOf(made['name']) === '') throw refuse('answer_unreadable');
    const tokens = Number(objectOf(made['usageMetadata'])['totalTokenCount']);
    const input = Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : hold.inputTokens;
    const described: JsonObject = { ...made, model: `models/${facts.model}` };
    const since = gateway.clock();
    const storage = { unitsPerHour: (perMillion * input) / 1e6, since };
    const until = endOf(described, since + ms);
    const need = hold.needOf(usageOf({ input }));
    const cost = need.quota;
    if (!hold.covers(need)) hold.extend(need);
    await hold.extending;
    const total = cost + storageCost({ ...storage, until });
    const shortage =
      ceiling !== undefined && total > ceiling
        ? tooLow(gateway, ceiling, total)
        : !hold.covers(need)
          ? hold.shortage
          : undefined;
    // What cannot be kept needs no storage, so that more of its input can be charged.
    if (shortage && sale) await sales.release(sale);
    isCharged = true;
    try {
      await chargeInput(gateway, relayCall, { admission, channel, upstreamModel, input });
      if (shortage) throw shortage;
      await keep(deps, { relayCall, channel, sale, described, storage: { ...storage, until } });
    } catch (error) {
      await takeBack(gateway, channel, call, made);
      throw error instanceof InsufficientQuota ? quotaRefusal(gateway, error, caller, 'hold') : error;
    }
    return described;
  } catch (error) {
    if (sale) await sales.release(sale);
    if (!isCharged) await gateway.ledger.release(relayCall.requestId);
    throw error;
  }
}

/** A channel of the group that serves the model and caches content. */
function chooseChannel(gateway: GatewayDeps, relayCall: RelayCall, group: string): Channel {
  const { routing } = gateway;
  const { caller, facts } = relayCall;
  const keeps = (channel: Channel): boolean => gateway.filesUrl('caches', channel) !== undefined;
  if (caller.pinnedChannelId > 0) {
    const routed = routing.byId(caller.pinnedChannelId);
    if (!routed) throw refuse('pinned_channel_unknown');
    if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
    checkRule(caller, routed.channel, facts.model);
    if (!keeps(routed.channel)) throw refuse('api_not_implemented');
    return routing.withKey(routed.channel);
  }
  const route = routeOf(gateway, relayCall, group);
  // The reason is shown nowhere.
  const bars: typeof route.bars = (each) => ruleBar(caller, each) ?? (keeps(each) ? undefined : 'unpriced');
  const channel = routing.foresee({ ...route, bars }, new Set());
  if (channel) return channel;
  const { model } = facts;
  if (routing.candidates(group, model).length === 0) throw refuse('model_not_found', { model });
  throw refuse('api_not_implemented');
}

/** Something that a vendor does for a caller beside a model. */
interface Extra {
  group: string;
  /** Its name in the log, behind `app:`. */
  name: string;
  /** Quota units. */
  amount: number;
  /** The hold is released after so many ms. */
  ms: number;
  /** The model of its budgets. */
  model: string;
  /** Budgets of the run; undefined without any. */
  ofRun?: readonly number[] | undefined;
}

/** Holds for something beside a model; undefined if it costs nothing. */
export async function holdExtra(
  { gateway, sales }: CacheDeps,
  relayCall: RelayCall,
  { group, name, amount, ms, model, ofRun }: Extra,
): Promise<Sale | undefined> {
  if (amount === 0) return undefined;
  const { caller, requestId, tags } = relayCall;
  const { team, username, tokenId, tokenName } = caller;
  const order = {
    saleId: `hold_${randomText(32)}`,
    name,
    description: '',
    bodyHash: '',
    buyer: {
      username,
      tokenId,
      tokenName,
      team: team && { id: team.id, name: team.name },
      group,
      run: readRunPath(relayCall),
      tags,
    },
    until: gateway.clock() + ms,
    hold: {
      requestId: `${requestId}-s`,
      accountId: caller.accountId,
      userId: caller.userId,
      tokenId,
      tokenUnlimited: caller.tokenUnlimited,
      memberId: team?.memberId ?? 0,
      budgets: callBudgets(gateway, caller, group, model, ofRun),
      channelId: 0,
      amount,
      request: '',
    },
  };
  try {
    return (await sales.begin(order)).sale;
  } catch (error) {
    throw error instanceof InsufficientQuota ? quotaRefusal(gateway, error, caller, 'hold') : error;
  }
}

interface Counted {
  admission: Admission;
  channel: Channel;
  upstreamModel: string;
  /** Input tokens by the vendor's count. */
  input: number;
}

/** Charges the input like that of a call. */
async function chargeInput(
  gateway: GatewayDeps,
  relayCall: RelayCall,
  { admission, channel, upstreamModel, input }: Counted,
): Promise<void> {
  const usage = usageOf({ input });
  const now = gateway.clock();
  const tries = [{ channelId: channel.id, ms: now - relayCall.startedAt, key: channel.chosenKey }];
  await book(gateway, relayCall, {
    ...servedFacts({ relayCall, admission, channelId: channel.id, upstreamModel, tries }),
    model: relayCall.facts.model,
    isStream: false,
    usage,
    usageSource: 'upstream',
    bill: price(usage, admission.snapshot),
    endReason: 'complete',
    firstByteAt: now,
    endedAt: now,
  });
}

interface Made {
  relayCall: RelayCall;
  channel: Channel;
  sale: Sale | undefined;
  described: JsonObject;
  storage: Storage;
}

/** Gives the content to its caller, with the hold for its whole life. Throws InsufficientQuota. */
async function keep({ gateway, sales }: CacheDeps, made: Made): Promise<void> {
  const { relayCall, channel, sale, described, storage } = made;
  const name = textOf(described['name']);
  const row = {
    name: sha256(name),
    user_id: relayCall.caller.userId,
    kind: 'cache' as const,
    purpose: sale?.saleId ?? '',
    channel_id: channel.id,
    key_id: channel.chosenKey?.id ?? '',
    bytes: 0,
    expires_at: Math.ceil(storage.until / 1_000),
    body: JSON.stringify(described),
  };
  if (!sale) return gateway.vendorFiles.add(row);
  const stored = await sales.store({ ...sale, description: name }, storage, (db) =>
    gateway.vendorFiles.add(row, db),
  );
  if (!stored) throw refuse('ledger_unavailable');
}

/** Unix ms of the end in a vendor's description; not after the requested one, because its clock may differ. */
function endOf({ expireTime }: JsonObject, requested: number): number {
  const at = Date.parse(textOf(expireTime));
  return at > 0 ? Math.min(at, requested) : requested;
}

async function takeBack(
  gateway: GatewayDeps,
  channel: Channel,
  call: UpstreamCall,
  made: JsonObject,
): Promise<void> {
  const url = filesUrl(gateway, 'caches', channel, behindOf('caches', made));
  await askJson(gateway, channel, call, 'DELETE', url).catch((err: unknown) => {
    gateway.log.error(
      { err, channel: channel.id, url },
      'cached content without an owner stays at its vendor',
    );
  });
}

function askJson(
  gateway: GatewayDeps,
  channel: Channel,
  call: UpstreamCall,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body?: Buffer,
) {
  const headers = {
    ...withoutBody(call.headers),
    ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
  };
  return ask(gateway, channel, { ...call, headers }, method, url, body);
}

/** A call about content that a vendor caches for the caller. */
export interface CacheCall {
  relayCall: RelayCall;
  name: string;
  /** Reads it, changes its life, or deletes it. */
  wish: 'read' | 'delete' | CacheLife;
}

/**
 * Reads, prolongs or deletes cached content of the caller. A longer life is held for before the vendor gives it; a
 * deletion returns what was held for the rest. Content of somebody else does not exist.
 */
export async function changeCache(
  deps: CacheDeps,
  { relayCall, name, wish }: CacheCall,
): Promise<JsonObject> {
  const { gateway, sales } = deps;
  const { caller } = relayCall;
  const [group = ''] = usingGroups(gateway, caller, '');
  await admitRate(gateway.rate, caller, group);
  const place = await gateway.vendorFiles.find(caller.userId, name);
  const routed = place && gateway.routing.byId(place.id);
  if (!place || routed?.status !== channelStatus.enabled) throw noFile(relayCall, name, 'name');
  checkRule(caller, routed.channel, name.slice(0, 100));
  const channel = gateway.routing.withKey(routed.channel, place.keyId);
  const call = await prepare(gateway, relayCall, channel);
  const url = filesUrl(gateway, 'caches', channel, behindOf('caches', { name }));
  const sale = place.purpose === '' ? undefined : await sales.find(place.purpose);
  const model = parseObject(place.body)?.['model'] ?? null;
  const describe = (answer: Buffer): JsonObject => ({ ...parseObject(answer), name, model });
  if (wish === 'read') return describe((await askJson(gateway, channel, call, 'GET', url)).body);
  if (wish === 'delete') {
    await deleteCache(deps, sale, () => askJson(gateway, channel, call, 'DELETE', url));
    await gateway.vendorFiles.forget(caller.userId, name);
    return {};
  }
  const now = gateway.clock();
  const until = now + lifeMs(wish, now);
  const held = sale && (await growStorage(deps, relayCall, sale, until));
  const gone = noFile(relayCall, name, 'name');
  if (sale && !held) throw gone;
  const life =
    wish.end === undefined ? { ttl: `${wish.seconds ?? usualSeconds}s` } : { expireTime: new Date(until) };
  const sent = Buffer.from(JSON.stringify(life));
  const mask = wish.end === undefined ? 'ttl' : 'expireTime';
  const answer = await askJson(gateway, channel, call, 'PATCH', `${url}?updateMask=${mask}`, sent);
  const described = describe(answer.body);
  const end = endOf(described, until);
  const change = [caller.userId, name, described, Math.ceil(end / 1_000)] as const;
  // In one transaction: of two changes at once, both the charge and the use end with the same one.
  if (!held?.storage) await gateway.vendorFiles.describe(...change);
  else if (
    !(await sales.store(held, { ...held.storage, until: end }, (db) =>
      gateway.vendorFiles.describe(...change, db),
    ))
  )
    throw gone;
  return described;
}

/** Holds for a longer life; until the vendor has given it, the content still ends as before. */
async function growStorage(
  { gateway, sales }: CacheDeps,
  { caller }: RelayCall,
  sale: Sale,
  until: number,
): Promise<Sale | undefined> {
  if (!sale.storage) return undefined;
  try {
    return await sales.store(sale, sale.storage, undefined, storageCost({ ...sale.storage, until }));
  } catch (error) {
    throw error instanceof InsufficientQuota ? quotaRefusal(gateway, error, caller, 'hold') : error;
  }
}

/**
 * The moment of the request is on disk before the vendor is asked: if this process dies, the storage is charged up to it.
 */
async function deleteCache(
  { gateway, sales }: CacheDeps,
  sale: Sale | undefined,
  remove: () => Promise<unknown>,
): Promise<void> {
  const storage = sale?.state === 'held' ? sale.storage : undefined;
  const endedAt = gateway.clock();
  const ending = sale && storage && (await sales.store(sale, { ...storage, endedAt }));
  faultPoint('sale-settled');
  try {
    await remove();
  } catch (error) {
    // The vendor has deleted it already, by its expiry.
    if (!(error instanceof RelayError) || error.status !== 404) {
      if (ending && storage) await sales.store(ending, storage);
      throw error;
    }
  }
  if (ending && storage) await sales.settle(ending, storageCost(storage, endedAt));
}

import type { IncomingMessage } from 'node:http';
import { product } from '@tollgate/contract';
import { LRUCache } from 'lru-cache';
import { rewriteForm, scanForm } from '../../lib/form.ts';
import { type Json, type JsonObject, splice } from '../../lib/json.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse, type RequestForm, tableError } from '../../relay/types/index.ts';
import type { Routing } from '../../services/calls/routing/index.ts';
import { InsufficientQuota, type ShortBudget } from '../../services/money/ledger/index.ts';
import { autoGroup } from '../../services/money/pricing/index.ts';
import { type KeyResolver, readCredential, type ResolvedToken } from '../../services/people/tokens/index.ts';
import type { ModelLimits } from '../../services/site/rate-limit/index.ts';
import type { Admission, Caller, GatewayDeps, RateLimits, RelayCall } from '../call/index.ts';
import { ruleBarsAll } from './channel-rule.ts';
import { callBudgets, quotaRefusal } from '../hold/index.ts';

/** The caller of a key. */
export const callerOf = (token: ResolvedToken): Caller => ({
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
  crossGroupRetry: token.crossGroupRetry,
  tokenUnlimited: token.unlimited,
  modelLimits: token.modelLimits,
  channelRule: token.channelRule,
  pinnedChannelId: token.pinnedChannelId,
  run: token.run,
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

/** The caller of a secret that stands for a key, from an address or, without one, from any; see `resolveMark`. */
export async function identifyByMark(
  keys: Pick<KeyResolver, 'resolveMark'>,
  ...marked: Parameters<KeyResolver['resolveMark']>
): Promise<Caller> {
  const resolution = await keys.resolveMark(...marked);
  if (resolution.kind === 'refusal') throw tableError(resolution.error, resolution.values);
  return callerOf(resolution);
}

interface FundsCheckDeps extends Pick<GatewayDeps, 'showQuota' | 'budgetsOf'> {
  /** Available amounts of an account, a token and a member's limit (undefined without one), in quota units. */
  findFunds(
    caller: Caller,
  ): Promise<{ balance: number; token: number | undefined; member?: number | undefined }>;
  /** What budgets leave, regardless of holds. */
  budgetsLeft(ids: readonly number[]): Promise<readonly ShortBudget[]>;
}

/** For this long, a caller with a balance is assumed to still have one. The hold decides in any case. */
const assumeSolventMs = 5_000;
const maxKnown = 50_000;

/**
 * Checks that a caller has any balance, and room in the budgets, before a body is read, which may be long. Does not query the database for callers that
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
    const found = await deps.findFunds(caller).catch(() => undefined);
    if (!found) return;
    const { balance, token, member } = found;
    if (token !== undefined && token <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('token', token, 1), caller);
    if (member !== undefined && member <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('member', member, 1), caller);
    if (balance <= 0) throw quotaRefusal(deps, new InsufficientQuota('account', balance, 1), caller);
    // The model is in the body: only budgets for all models are known.
    const ids = callBudgets(deps, caller, caller.tokenGroup || caller.userGroup, '');
    const limits = ids && (await deps.budgetsLeft(ids).catch(() => []));
    // A call may have no tokens.
    const short = limits?.find(({ left, instead, unit }) => left <= 0 && instead === '' && unit === 'quota');
    if (short) throw quotaRefusal(deps, new InsufficientQuota('budget', 0, 1, 0, short), caller);
    solvent.set(key, true);
  };
  return async (caller) => {
    const key = `${caller.accountId} ${caller.tokenId}`;
    if (!solvent.has(key)) await look(caller, key);
  };
}

/**
 * The groups that may have the channels and the ratio of a call (docs/compatibility.md#channel-selection, step 3): one,
 * or those of `auto` in order.
 */
export function usingGroups(
  deps: Pick<GatewayDeps, 'pricing'>,
  caller: Caller,
  askedGroup: string,
): readonly string[] {
  const wanted = askedGroup === '' ? caller.tokenGroup : askedGroup;
  if (wanted === '' || wanted === caller.userGroup) return [caller.userGroup];
  if (wanted === autoGroup) {
    const groups = deps.pricing.autoGroups(caller.userGroup);
    if (groups.length === 0) throw refuse('auto_groups_empty');
    return groups;
  }
  if (!Object.hasOwn(deps.pricing.usableGroups(caller.userGroup), wanted)) {
    throw askedGroup === '' ? refuse('token_group_disabled', { group: wanted }) : refuse('group_forbidden');
  }
  if (deps.pricing.groupRatio(wanted) === undefined) {
    throw refuse('group_deprecated', { group: wanted });
  }
  return [wanted];
}

/** Drawings have a usual price where they have none of their own. */
const isDrawing = (model: string): boolean => model.startsWith('mj_') || model === 'swap_face';

/** Names that may have the price of a call to a model in a group: the upstream names of its channels, or its own. */
export function pricedNames(routing: Pick<Routing, 'candidates'>, group: string, model: string): Set<string> {
  const names = new Set<string>();
  for (const { channels } of routing.candidates(group, model))
    for (const channel of channels) names.add(pricedModel(channel, model));
  return names.size > 0 ? names : names.add(model);
}

/**
 * The models a caller may use: the token's list if it has one, else those of the group, without those that have no price
 * or no channel that the rules of key and organisation permit
 * (docs/compatibility.md#envelope-and-routes).
 */
export function modelsFor(
  deps: Pick<GatewayDeps, 'pricing'> & { routing: Pick<Routing, 'modelsOf' | 'candidates'> },
  caller: Caller,
): readonly string[] {
  const { userGroup, acceptUnsetPrice: acceptUnset } = caller;
  const groups = usingGroups(deps, caller, '');
  const names = caller.modelLimits ?? new Set(groups.flatMap((group) => deps.routing.modelsOf(group)));
  const isPriced = (group: string, model: string): boolean =>
    [...pricedNames(deps.routing, group, model)].some(
      (name) => !('refusal' in deps.pricing.snapshot(name, group, { acceptUnset, userGroup })),
    );
  return [...names].filter((model) =>
    groups.some(
      (group) =>
        (isDrawing(model) || isPriced(group, model)) && !ruleBarsAll(deps.routing, caller, group, model),
    ),
  );
}

/** Compares exact names with the token's list; a call with a selected channel skips the check (docs/compatibility.md#relay-keys). */
function checkModelLimits(caller: Caller, model: string): void {
  if (caller.pinnedChannelId > 0 || caller.modelLimits === null) return;
  if (caller.modelLimits.size === 0) throw refuse('token_without_models');
  if (!caller.modelLimits.has(model)) throw refuse('model_not_allowed', { model });
}

/** Decides whether the caller may use the model, and in which groups. Throws a RelayError if not. */
export function admit(
  deps: Pick<GatewayDeps, 'pricing'>,
  relayCall: Pick<RelayCall, 'caller' | 'askedGroup'> & { facts: Pick<RelayCall['facts'], 'model'> },
): readonly string[] {
  const groups = usingGroups(deps, relayCall.caller, relayCall.askedGroup);
  checkModelLimits(relayCall.caller, relayCall.facts.model);
  return groups;
}

/** The tags that the site requires of a call by key in a group, and that it does not have. */
export function missingTags(
  { requiredTags }: Pick<GatewayDeps, 'requiredTags'>,
  { caller, tags }: { caller: Caller; tags?: RelayCall['tags'] },
  group: string,
): readonly string[] {
  const required = caller.tokenId === 0 ? noTags : requiredTags(caller, group);
  if (required.length === 0) return noTags;
  return required.filter((name) => tags === undefined || !Object.hasOwn(tags, name));
}
const noTags: readonly string[] = [];

/** Refuses a call without its required tags (`tags_required`). */
export function checkTags(...call: Parameters<typeof missingTags>): void {
  const missing = missingTags(...call);
  if (missing.length > 0)
    throw refuse('tags_required', { tags: missing.join(', '), header: product.headers.tags });
}

/** The current price on the first channel. Throws if there is none, or if the request has a forbidden word. */
export function pricedAdmission(
  deps: Pick<GatewayDeps, 'pricing' | 'forbiddenWord'>,
  relayCall: RelayCall,
  group: string,
  first: Channel,
): Admission {
  const word = deps.forbiddenWord(relayCall);
  if (word !== undefined) throw refuse('sensitive_words_detected');
  return pricedAs(deps, relayCall, group, pricedModel(first, relayCall.facts.model));
}

/** The same admission if a further channel has the same group and price; else one with those of that channel. */
export function admissionOn(
  deps: Pick<GatewayDeps, 'pricing'>,
  relayCall: RelayCall,
  admission: Admission,
  channel: Channel,
): Admission {
  const name = pricedModel(channel, relayCall.facts.model);
  const group = channel.inGroup ?? admission.group;
  const isSame = name === admission.pricedModel && group === admission.group;
  return isSame && relayCall.facts.searchKind === admission.searchKind
    ? admission
    : { ...admission, ...pricedAs(deps, relayCall, group, name) };
}

function pricedAs(
  { pricing }: Pick<GatewayDeps, 'pricing'>,
  { caller, facts }: RelayCall,
  group: string,
  model: string,
): Admission {
  const snapshot = pricing.snapshot(model, group, {
    acceptUnset: caller.acceptUnsetPrice,
    userGroup: caller.userGroup,
    searchKind: facts.searchKind,
  });
  if ('refusal' in snapshot) throw refuse(snapshot.refusal, { model });
  return { group, snapshot, pricedModel: model, searchKind: facts.searchKind };
}

/** Request fields of all protocols with text for the model. */
const spoken = new Set([
  'messages',
  'prompt',
  'input',
  'instructions',
  'system',
  'query',
  'documents',
  'suffix',
  // Google's.
  'contents',
  'content',
  'requests',
  'systemInstruction',
  'system_instruction',
  // Models also read descriptions.
  'tools',
  'functions',
  'response_format',
  'text',
  'generationConfig',
  'generation_config',
  'output_config',
  'output_format',
  // Songs and videos.
  'gpt_description_prompt',
  'negative_prompt',
  'title',
  'tags',
]);

/** Deeper than any valid request; deeper levels are not searched. */
const maxDepth = 200;

/** Fields that contain a file as base64. */
const files = new Set(['file_data', 'fileData', 'b64_json', 'bytesBase64Encoded']);
/** Fields that contain an address, which may be a data URL. */
const addresses = new Set(['url', 'image_url', 'file_url', 'image', 'images']);
/** Fields that show that a `data` field beside them is an image, a sound or a file. */
const kinds = ['mimeType', 'mime_type', 'media_type', 'format'];

/**
 * True for the data of images, sounds and files, in which a word can occur by chance. A text that only begins like data is
 * text, and so is the data of a document whose type is text.
 */
function isData(name: string, text: string, around: JsonObject | undefined): boolean {
  if (files.has(name)) return true;
  if (addresses.has(name)) return text.startsWith('data:');
  if (name !== 'data' || !around || around.type === 'text') return false;
  return kinds.some((kind) => {
    const type = around[kind];
    return typeof type === 'string' && !type.startsWith('text/');
  });
}

/** Returns a forbidden word of a text; undefined if there is none. */
type Find = (text: string) => string | undefined;

/** For longer texts, check first whether they are data: searching megabytes of an image takes longer. */
const longText = 4_096;

/** A forbidden word in the texts of a request, by `find`; undefined if there is none. */
export function wordIn(find: Find, json: JsonObject): string | undefined {
  for (const name in json) {
    if (!spoken.has(name)) continue;
    const found = walk(find, name, json[name], undefined, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Called for every value of every request, so it allocates nothing. */
function walk(
  find: Find,
  name: string,
  value: Json | undefined,
  around: JsonObject | undefined,
  depth: number,
): string | undefined {
  if (typeof value === 'string') return wordInText(find, name, value, around);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = walk(find, name, each, around, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const key in value) {
    const found = walk(find, key, value[key], value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wordInText(
  find: Find,
  name: string,
  text: string,
  around: JsonObject | undefined,
): string | undefined {
  if (text.length > longText && isData(name, text, around)) return undefined;
  const found = find(text);
  return found === undefined || isData(name, text, around) ? undefined : found;
}

/**
 * Counts the request against its user's limits; rejects with 429 when they are reached. The playground has none. Undefined,
 * so that nothing is awaited, if limits are disabled.
 */
export function admitRate(deps: RateLimits, caller: Caller, group: string): Promise<void> | undefined {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  return limits ? judge(deps, caller, limits) : undefined;
}

async function judge(deps: RateLimits, caller: Caller, limits: ModelLimits): Promise<void> {
  const verdict = await deps.limiter.admit(caller.userId, limits);
  if (verdict.allowed) return;
  const { reached, values, retryAfterSeconds } = verdict;
  throw refuse(reached, values, { retryAfterSeconds });
}

/** The request succeeded: it also counts against the limit of successes. */
export function countSuccess(deps: RateLimits, caller: Caller, group: string): void {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  if (limits) deps.limiter.succeeded(caller.userId, limits);
}

/**
 * The body of a call for the vendor. The playground's `group` is only for Tollgate, and its `max_tokens` of 0 means no limit,
 * which a vendor would refuse. All other calls are unchanged.
 */
export function withoutPlaygroundWords<E extends Pick<RelayCall, 'path' | 'json' | 'raw' | 'form'>>(
  relayCall: E,
): E {
  if (!relayCall.path.startsWith('/pg/')) return relayCall;
  const { group: _, ...json } = relayCall.json;
  const cuts = new Map<string, undefined>([['group', undefined]]);
  if (json.max_tokens === 0) {
    delete json.max_tokens;
    cuts.set('max_tokens', undefined);
  }
  const { form } = relayCall;
  if (form) return { ...relayCall, json, ...withoutFields(relayCall.raw, form, cuts) };
  return { ...relayCall, json, raw: splice(relayCall.raw, cuts) };
}

function withoutFields(raw: Buffer, form: RequestForm, cuts: ReadonlyMap<string, undefined>) {
  const cut = rewriteForm(raw, form.scan, cuts);
  return { raw: cut, form: { ...form, scan: scanForm(cut, form.scan.boundary) } };
}

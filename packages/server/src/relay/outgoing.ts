import { FormError, formValue, rewriteForm } from '../lib/form.ts';
import { append, isObject, type JsonObject, objectOf, objectsIn, splice } from '../lib/json.ts';
import { limitUses } from './conversation/index.ts';
import { wantsThoughts } from './families/openai/index.ts';
import type { FunctionNames } from './translate/function-names.ts';
import { applyOverride } from './override.ts';
import { writeSystemPrompt } from './system-prompt.ts';
import { exactBody, translateRequest } from './translate/translate-request.ts';
import { refuseTools, type TranslatedRoute, type TranslationRoute } from './translation-route.ts';
import {
  type Channel,
  type FetchedFile,
  invalidForm,
  type Provider,
  refuse,
  type RelayOptions,
  type RelayRequest,
  type RequestForm,
} from './types/index.ts';

/** The data of one call that its parts need. */
export interface Job {
  provider: Provider;
  channel: Channel;
  request: RelayRequest;
  options: RelayOptions;
  route: TranslationRoute;
  upstreamModel: string;
  /** Secrets that must never reach the caller. */
  secrets: readonly string[];
}

/** The body to send, and what was found out while creating it. */
export interface Outgoing {
  json: JsonObject;
  body: Buffer;
  /** As `UpstreamCall.unwritten`. */
  unwritten?: JsonObject;
  /** Set if the body has another type than the caller's. */
  contentType?: string;
  model: string;
  reasoningEffort: string | undefined;
  /** True if only Tollgate requested the usage chunk of the stream. */
  hideUsage: boolean;
  /** Parts that the provider's protocol cannot express. */
  dropped: readonly string[];
  /** Functions with different names for the vendor and the caller. */
  names?: FunctionNames;
}

/** Most names of omitted parts that are reported; they are the caller's own texts and are put into a header. */
const maxNamed = 20;

const noFiles: ReadonlyMap<string, FetchedFile> = new Map();

/** An unchanged body is only passed if it is in the right protocol and dialect. */
export const isPassedThrough = ({ options, channel, route }: Job): boolean =>
  !route.isTranslated &&
  route.endpoint.isDialect !== true &&
  (options.passThroughBody || channel.setting.passThroughBody);

/** The body of a call: the caller's bytes with single fields changed, or the request in the provider's protocol. */
export function writeOutgoing(job: Job): Outgoing {
  if (isPassedThrough(job)) return untouched(job);
  refuseTools(job.route, job.request.facts.hostedTools);
  return job.route.isTranslated ? translated(job, job.route) : changed(job);
}

const untouched = ({ request, upstreamModel }: Job): Outgoing => ({
  json: request.json,
  body: request.raw,
  model: upstreamModel,
  reasoningEffort: effortIn(request.json),
  hideUsage: false,
  dropped: [],
});

/** Fields with the caller's bound on the output. */
const bounds = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function changed(job: Job): Outgoing {
  const { request, route } = job;
  const plain = changedFrom(job);
  const isKept = ([name]: readonly string[]): boolean => plain.json[name!] === request.json[name!];
  const { toolObjects = [], schemas = [] } = route.caller.codec ?? {};
  if (toolObjects.every(isKept) && schemas.every(isKept)) return plain;
  // The conversation is written again, which would change its numbers.
  const json = exactBody(route.caller, request);
  return json === request.json ? plain : changedFrom({ ...job, request: { ...request, json } });
}

function changedFrom(job: Job): Outgoing {
  const { request, upstreamModel } = job;
  const draft: JsonObject = { ...request.json };
  if (draft.model !== upstreamModel) draft.model = upstreamModel;
  // "No bound" of LM Studio and llama.cpp, which others refuse.
  for (const name of bounds) if (draft[name] === -1) delete draft[name];
  writeSearch(draft, job);
  limitUses(draft, job.route.upstream.id, request.facts);
  const hideUsage = setStreamOptions(draft, job);
  const dropped = new Set<string>();
  const adapted = adapt(draft, job, dropInto(dropped, request.json));
  const { raw, form } = request;
  const written = job.route.endpoint.write?.({ body: draft, raw, form, model: adapted.model });
  const body = written?.bytes ?? rewriteBody(request, draft);
  const contentType = written && { contentType: written.contentType };
  return { ...adapted, json: draft, body, ...contentType, hideUsage, dropped: [...dropped] };
}

/** A search requested by another vendor's field, in this provider's form. */
function writeSearch(draft: JsonObject, { request, route }: Pick<Job, 'request' | 'route'>): void {
  const { search } = route.endpoint;
  const asked = request.facts.hostedTools?.filter(
    ({ kind, type }) => kind === 'web-search' && draft[type] !== undefined,
  );
  if (!search || !asked?.some(({ type }) => search[type] === undefined)) return;
  const { tools, ...others } = search;
  for (const { type } of asked) if (search[type] === undefined) delete draft[type];
  Object.assign(draft, others);
  if (tools) draft.tools = [...objectsIn(draft.tools), ...objectsIn(tools)];
}

const nothing = Buffer.alloc(0);
/** Above this size, writing as JSON and as bytes delays other calls. */
const largeBytes = 4 * 1024 * 1024;

function translated(job: Job, route: TranslatedRoute): Outgoing {
  const dropped = new Set<string>();
  const drop = dropInto(dropped, job.request.json);
  const { body: json, names } = translateBody(route, job, drop);
  limitUses(json, route.upstream.id, job.request.facts);
  const hideUsage = setStreamOptions(json, job);
  const adapted = adapt(json, job, drop);
  const isLarge = job.request.raw.length > largeBytes;
  const body = isLarge ? nothing : Buffer.from(JSON.stringify(json));
  return {
    ...adapted,
    json,
    body,
    ...(isLarge && { unwritten: json }),
    hideUsage,
    dropped: [...dropped],
    ...(names && { names }),
  };
}

/** Records omitted parts, as far as they can be reported, by the names that the caller wrote. */
const dropInto =
  (dropped: Set<string>, asked: JsonObject) =>
  (what: string): void => {
    if (dropped.size >= maxNamed) return;
    dropped.add(
      fieldNamed(what, asked)
        .replace(/[^\w .:-]/g, '_')
        .slice(0, 60),
    );
  };

/** Fields that protocols name in other words than `ChatRequest`. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['maxOutputTokens', ['max_completion_tokens', 'max_tokens', 'max_output_tokens']],
  ['stop', ['stop_sequences', 'stopSequences']],
  ['reasoning', ['reasoning_effort', 'thinking', 'thinkingConfig', 'thinking_config']],
  ['budgetTokens', ['budget_tokens', 'thinkingBudget', 'thinking_budget', 'max_tokens']],
  ['logprobs', ['responseLogprobs', 'response_logprobs']],
  ['topLogprobs', ['logprobs']],
]);

/** A field of `ChatRequest` as the body has it. */
function fieldNamed(what: string, asked: JsonObject): string {
  if (!/^[a-z]+(?:[A-Z][a-z]*)*$/.test(what)) return what;
  const snake = what.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const names = [what, snake, ...(otherNames.get(what) ?? [])];
  const config = objectOf(asked.generationConfig ?? asked.generation_config);
  const places =
    what === 'budgetTokens'
      ? [asked.thinking, asked.reasoning, config.thinkingConfig, config.thinking_config].map(objectOf)
      : [asked, config];
  return names.find((name) => places.some((place) => Object.hasOwn(place, name))) ?? snake;
}

/** The caller's request in the provider's protocol. */
export function translateBody(
  { caller, readRequest, codec, endpoint }: TranslatedRoute,
  { request, upstreamModel }: Pick<Job, 'request' | 'upstreamModel'>,
  drop: (what: string) => void,
): ReturnType<typeof translateRequest> {
  return translateRequest(readRequest, codec, exactBody(caller, request), {
    model: upstreamModel,
    files: request.files ?? noFiles,
    readsReasoning: endpoint.readsReasoning ?? wantsThoughts(upstreamModel),
    ...(endpoint.search && { search: endpoint.search }),
    ...(endpoint.namesPages && { namesPages: true }),
    drop,
  });
}

/** Applies the provider's changes and the channel's own overrides to the draft. */
function adapt(
  draft: JsonObject,
  job: Job,
  drop: (what: string) => void,
): Pick<Outgoing, 'model' | 'reasoningEffort'> {
  const { channel, options, request, route, upstreamModel } = job;
  const { stream } = request.facts;
  const files = request.files ?? noFiles;
  if (channel.setting.systemPrompt) writeSystemPrompt(draft, route.upstream.id, channel.setting.systemPrompt);
  const adapted = route.endpoint.adapt?.(draft, {
    channel,
    model: upstreamModel,
    path: request.path,
    query: request.query,
    stream,
    options,
    files,
    requestedModel: request.facts.model,
    caller: route.isTranslated ? {} : request.headers,
    drop,
  });
  const model = adapted?.model ?? upstreamModel;
  // A provider with the model in its address removes it from the body.
  if (draft.model !== undefined && draft.model !== model) draft.model = model;
  if (channel.paramOverride)
    applyOverride(draft, channel.paramOverride, {
      model,
      requestedModel: request.facts.model,
      path: request.path,
    });
  if (request.facts.mostOverridden !== undefined) limitOutput(draft, request.facts.mostOverridden);
  return { model, reasoningEffort: adapted?.reasoningEffort ?? effortIn(draft) };
}

/** Lowers the output limit of an override to the tokens that are held. */
function limitOutput(draft: JsonObject, most: number): void {
  const lower = (place: JsonObject): JsonObject => {
    const greater = [...bounds, 'maxOutputTokens', 'maxTokens'].filter((name) => Number(place[name]) > most);
    return greater.length === 0
      ? place
      : { ...place, ...Object.fromEntries(greater.map((name) => [name, most])) };
  };
  Object.assign(draft, lower(draft));
  for (const name of ['generationConfig', 'inferenceConfig'])
    if (isObject(draft[name])) draft[name] = lower(draft[name]);
}

/** Protocols in which a stream has usage only on request. */
const asksForUsage = new Set(['openai-chat', 'openai-completions']);

/** Requests the usage of a stream unless it would be refused. True if the caller did not ask for it. */
function setStreamOptions(draft: JsonObject, { provider, channel, request, options, route }: Job): boolean {
  if (!asksForUsage.has(route.upstream.id)) return false;
  if (!provider.streamUsage || channel.setting.noStreamUsage) {
    delete draft.stream_options;
    return false;
  }
  const { stream, wantsStreamUsage } = request.facts;
  if (!stream || (wantsStreamUsage && !route.isTranslated)) return false;
  if (!options.forceStreamUsage && !wantsStreamUsage) return false;
  draft.stream_options = { ...(draft.stream_options as JsonObject | null), include_usage: true };
  return !wantsStreamUsage;
}

/** The caller's bytes with the changed top-level fields replaced in place. */
function rewriteBody(request: RelayRequest, draft: JsonObject): Buffer {
  const { raw, json, form } = request;
  if (form) return rewriteFields(raw, form, json, draft);
  const changes = new Map<string, string | undefined>();
  const added = new Map<string, string>();
  for (const key of Object.keys(json)) if (draft[key] === undefined) changes.set(key, undefined);
  for (const key of Object.keys(draft)) {
    const value = draft[key];
    if (value === undefined || value === json[key]) continue;
    if (Object.hasOwn(json, key)) changes.set(key, JSON.stringify(value));
    else added.set(key, JSON.stringify(value));
  }
  // An empty body must be written again, which `splice` does.
  if (changes.size > 0) return splice(raw, new Map([...changes, ...added]));
  return added.size === 0 ? raw : append(raw, added);
}

/** The same for a form: its files, and all unchanged fields, are sent byte for byte. */
function rewriteFields(raw: Buffer, { scan }: RequestForm, json: JsonObject, draft: JsonObject): Buffer {
  const changes = new Map<string, string | string[] | undefined>();
  for (const key of new Set([...Object.keys(json), ...Object.keys(draft)])) {
    const value = draft[key];
    if (value !== json[key]) changes.set(key, value === undefined ? undefined : formValue(value));
  }
  if (changes.size === 0) return raw;
  try {
    return rewriteForm(raw, scan, changes);
  } catch (cause) {
    throw cause instanceof FormError ? invalidForm(cause) : cause;
  }
}

function effortIn(body: JsonObject): string | undefined {
  return typeof body.reasoning_effort === 'string' ? body.reasoning_effort : undefined;
}

/**
 * The upstream name of a model: the channel's mapping, applied repeatedly (a → b, b → c). A name that maps to itself
 * ends the chain; a longer loop is a configuration error (docs/compatibility.md#steps-of-a-chat-call).
 */
export function applyModelMapping(mapping: Readonly<Record<string, string>>, model: string): string {
  const name = follow(mapping, model, refuseCircle);
  // Names are part of addresses, and these two would change the path.
  if (name === '.' || name === '..') throw refuse('invalid_model');
  return name;
}

/**
 * The model name with the price of a call to `model` on a channel. A circular mapping changes no price, because it
 * serves no call.
 */
export const pricedModel = (
  {
    setting,
    modelMapping,
    standsInAs,
  }: Pick<Channel, 'modelMapping' | 'standsInAs'> & {
    setting: Pick<Channel['setting'], 'priceAfterMapping'>;
  },
  model: string,
): string => (setting.priceAfterMapping ? follow(modelMapping, model, () => model) : (standsInAs ?? model));

const refuseCircle = (model: string): never => {
  throw refuse('model_mapping_contains_cycle', { model });
};

function follow(
  mapping: Readonly<Record<string, string>>,
  model: string,
  onCircle: (at: string) => string,
): string {
  if (!Object.hasOwn(mapping, model)) return model;
  let name = model;
  const seen = new Set([name]);
  while (Object.hasOwn(mapping, name)) {
    const next = mapping[name]!;
    if (next === name || next === '') return name;
    if (seen.has(next)) return onCircle(next);
    seen.add(next);
    name = next;
  }
  return name;
}

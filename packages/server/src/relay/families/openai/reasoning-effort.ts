import { cutEffort, type CutName, cutSuffix, suffixFamilies } from '@tollgate/contract';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type {
  AdaptContext,
  Adapted,
  RequestFacts,
  ChatRequest,
  RequestContext,
  Sampling,
} from '../../types/index.ts';
import { withOwnReasoning } from './reasoning-items.ts';

/** Open models that require the reasoning with its calls in the next request, at every vendor (`reasoning_content`). */
const givenThoughts = /deepseek-v(3\.[2-9]|[4-9])|kimi-|glm-(4\.[5-9]|[5-9])|qwen-?[3-9]/i;

/** True for a model of such a family; at some vendors its name follows an owner's. */
export const wantsThoughts = (model: string): boolean => givenThoughts.test(model);

/** These models have neither system nor developer messages. */
const withoutDeveloper = /^(o1-mini|o1-preview)/;

/** An effort suffix of a model with open weights becomes a field; the rest of the body is unchanged. */
export function adaptOpenWeights(
  body: JsonObject,
  context: Pick<AdaptContext, 'model'>,
): Adapted | undefined {
  const cut = cutSuffix(context.model, 'gpt-oss');
  return cut && setEffort(body, cut);
}

/** The effort in a name, as a field. */
export function setEffort(body: JsonObject, { model, suffix }: CutName): Adapted {
  body.reasoning_effort = suffix;
  return { model, reasoningEffort: suffix };
}

/** `max_tokens` under the name that reasoning models want. */
export function renameMaxTokens(body: JsonObject): void {
  if (body.max_tokens === undefined) return;
  body.max_completion_tokens ??= body.max_tokens;
  delete body.max_tokens;
}

/**
 * Differences of OpenAI's reasoning models (docs/compatibility.md#steps-of-a-chat-call): an effort suffix of the name
 * becomes a field, `max_tokens` gets its newer name, and models named o* take no temperature and call the system
 * `developer`.
 */
export function adaptReasoning(body: JsonObject, context: Pick<AdaptContext, 'model'>): Adapted | undefined {
  if (!suffixFamilies.openai.has(context.model)) return undefined;
  const cut = cutSuffix(context.model, 'openai');
  const model = cut?.model ?? context.model;
  if (cut) setEffort(body, cut);
  renameMaxTokens(body);
  if (/^o\d/.test(model)) {
    delete body.temperature;
    if (!withoutDeveloper.test(model)) renameSystem(body);
  }
  return { model, ...(cut && { reasoningEffort: cut.suffix }) };
}

/**
 * True if OpenAI refuses functions in chats of a model: from GPT-5.6 on unless reasoning is off ("Function tools with
 * reasoning_effort are not supported in /v1/chat/completions"). All of these think by default.
 */
export function refusesFunctions(model: string, { functions }: Pick<RequestFacts, 'functions'>): boolean {
  if (!functions) return false;
  const suffix = cutSuffix(model, 'openai')?.suffix;
  const thinks = suffix === undefined ? functions.thinks : suffix !== 'none';
  return thinksByItself.test(model) && thinks !== false;
}

/** OpenAI's models with reasoning by default that can be turned off. */
const thinksByItself = /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/;

/** True if OpenAI's models refuse unusual sampling: while they think, and older models always. */
function refusesSampling(model: string, asked: string | undefined): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const effort = cutSuffix(name, 'openai')?.suffix ?? asked;
  if (/^(o\d|gpt-5(?!\.|\d|-chat))/.test(name)) return true;
  if (thinksByItself.test(name)) return effort !== 'none';
  return /^gpt-5\.\d/.test(name) && effort !== undefined && effort !== 'none';
}

/**
 * An effort suffix of any model becomes a field of its request in the Responses protocol
 * (docs/compatibility.md#steps-of-a-chat-call), and reasoning that other vendors signed is omitted.
 */
export function adaptResponses(body: JsonObject, context: Pick<AdaptContext, 'model'>): Adapted | undefined {
  const input = withOwnReasoning(body.input);
  if (input) body.input = input;
  const cut = cutEffort(context.model) ?? cutSuffix(context.model, 'deepseek-v4');
  if (!cut) {
    const asked = isObject(body.reasoning) ? body.reasoning.effort : undefined;
    return typeof asked === 'string' ? { reasoningEffort: asked } : undefined;
  }
  const { model, suffix } = cut;
  body.reasoning = { ...(isObject(body.reasoning) && body.reasoning), effort: suffix };
  return { model, reasoningEffort: suffix };
}

/** The first system message becomes a developer message. */
function renameSystem(body: JsonObject): void {
  if (!Array.isArray(body.messages)) return;
  const first = body.messages[0];
  if (!isObject(first) || first.role !== 'system') return;
  body.messages = [{ ...first, role: 'developer' }, ...body.messages.slice(1)] satisfies Json[];
}

/** Fields that are refused with reasoning, and their fixed values. */
const refused = {
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logprobs: false,
  topLogprobs: 0,
} as const satisfies Partial<Record<keyof Sampling, unknown>>;

/**
 * The sampling fields that a model accepts. Callers of other protocols always send some, and a reasoning model of
 * OpenAI would refuse the call. Omitted fields are named unless they have their usual value.
 */
export function takenSampling(
  { sampling }: Pick<ChatRequest, 'sampling'>,
  effort: string,
  { model, drop }: Pick<RequestContext, 'model' | 'drop'>,
): Sampling {
  if (!refusesSampling(model, effort === '' ? undefined : effort)) return sampling;
  const taken: Sampling = { ...sampling };
  for (const name of Object.keys(refused) as (keyof typeof refused)[]) {
    const value = sampling[name];
    if (value !== undefined && value !== refused[name]) drop(name);
    delete taken[name];
  }
  return taken;
}

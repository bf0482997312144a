import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Adapted, AdaptContext } from '../../types/index.ts';
import { withOwnReasoning } from './reasoning-items.ts';

const efforts = /-(high|minimal|low|medium|none|xhigh)$/;
/**
 * Reasoning models of OpenAI by name: all since the fifth generation but its `-chat` models. `gpt-35-turbo` is Azure's
 * name of an old one.
 */
const reasons = /^(o\d|gpt-[5-9](?!\d|-chat))/;
/** They knew neither system nor developer messages. */
const withoutDeveloper = /^(o1-mini|o1-preview)/;

/** Cuts an effort suffix from a model name. */
export function splitEffort(model: string): { model: string; effort: string | undefined } {
  const effort = efforts.exec(model)?.[1];
  return effort === undefined ? { model, effort } : { model: model.slice(0, -effort.length - 1), effort };
}

/** Models with open weights that many vendors serve, under several prefixes, and that take an effort. */
const openWeights = /(^|\/)gpt-oss-/;

/** An effort suffix of a model with open weights becomes a field; nothing else of the body differs there. */
export function adaptOpenWeights(
  body: JsonObject,
  context: Pick<AdaptContext, 'model'>,
): Adapted | undefined {
  if (!openWeights.test(context.model)) return undefined;
  const { model, effort } = splitEffort(context.model);
  if (effort === undefined) return undefined;
  body.reasoning_effort = effort;
  return { model, reasoningEffort: effort };
}

/** `max_tokens` under the name that reasoning models want. */
export function renameMaxTokens(body: JsonObject): void {
  if (body.max_tokens === undefined) return;
  body.max_completion_tokens ??= body.max_tokens;
  delete body.max_tokens;
}

/**
 * What OpenAI's reasoning models want otherwise (docs/compatibility.md#steps-of-a-chat-call): an effort suffix of the
 * name becomes a field,
 * `max_tokens` gets its newer name, and models named o* take no temperature and call the system `developer`.
 */
export function adaptReasoning(body: JsonObject, context: Pick<AdaptContext, 'model'>): Adapted | undefined {
  if (!reasons.test(context.model)) return undefined;
  const { model, effort } = splitEffort(context.model);
  if (effort !== undefined) body.reasoning_effort = effort;
  renameMaxTokens(body);
  if (/^o\d/.test(model)) {
    delete body.temperature;
    if (!withoutDeveloper.test(model)) renameSystem(body);
  }
  return { model, ...(effort !== undefined && { reasoningEffort: effort }) };
}

/**
 * An effort suffix of any model becomes a field of its request in the protocol of responses
 * (docs/compatibility.md#steps-of-a-chat-call), and
 * thoughts that other vendors signed are left out.
 */
export function adaptResponses(body: JsonObject, context: Pick<AdaptContext, 'model'>): Adapted | undefined {
  const input = withOwnReasoning(body.input);
  if (input) body.input = input;
  const { model, effort } = splitEffort(context.model);
  if (effort === undefined) {
    const asked = isObject(body.reasoning) ? body.reasoning.effort : undefined;
    return typeof asked === 'string' ? { reasoningEffort: asked } : undefined;
  }
  body.reasoning = { ...(isObject(body.reasoning) && body.reasoning), effort };
  return { model, reasoningEffort: effort };
}

/** The first system message becomes a developer message. */
function renameSystem(body: JsonObject): void {
  if (!Array.isArray(body.messages)) return;
  const first = body.messages[0];
  if (!isObject(first) || first.role !== 'system') return;
  body.messages = [{ ...first, role: 'developer' }, ...body.messages.slice(1)] satisfies Json[];
}

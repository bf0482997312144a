import type { ChatRequest, Extra, ResponseFormat, Tool, RequestContext } from '../../types/index.ts';
import { cannotTranslate, ownFields, writeHostedTool } from '../../conversation/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { writeMessages } from './write-message.ts';
import { writeThinking } from './thinking.ts';

const own = 'cohere-chat';
/** Output limit of a request without one (docs/compatibility.md#channel-types). */
const defaultMaxTokens = 4_000;
/** Cohere's maximum. */
const maxStops = 5;

/** Writes a request as v2 chat; docs/protocols/cohere-and-reranking.md lists what is omitted or refused. */
export function writeCohereRequest(request: ChatRequest, context: RequestContext): JsonObject {
  if (request.choices > 1) throw cannotTranslate(`n = ${request.choices}`, own);
  const { stop, user, metadata, serviceTier, responseFormat } = request;
  for (const [name, value] of Object.entries({ user, metadata, serviceTier })) {
    if (value !== undefined) context.drop(name);
  }
  if (stop.length > maxStops) context.drop('stop');
  return {
    model: context.model,
    messages: writeMessages(request.messages, context),
    stream: request.stream,
    ...writeTools(request, context),
    ...(responseFormat && responseFormat.type !== 'text' && { response_format: writeFormat(responseFormat) }),
    ...writeThinking(request.reasoning, context),
    ...writeSampling(request, context),
    max_tokens: request.maxOutputTokens ?? defaultMaxTokens,
    ...(stop.length > 0 && { stop_sequences: stop.slice(0, maxStops) }),
    ...writeExtra(request.extra, context),
  };
}

/** Cohere can force a tool call, but not a specific tool: only the named tool is sent. */
function writeTools(request: ChatRequest, context: RequestContext): JsonObject {
  const { toolChoice: choice, parallelToolCalls } = request;
  const all = request.tools.flatMap((tool) => functionOf(tool, context));
  const named = choice?.type === 'tool' ? all.filter(({ name }) => name === choice.name) : [];
  const offered = named.length > 0 ? named : all;
  if (offered.length === 0) return {};
  if (parallelToolCalls === false) context.drop('parallelToolCalls');
  const isForced = choice?.type === 'required' || choice?.type === 'tool';
  return {
    tools: offered.map(writeFunction),
    ...(isForced && { tool_choice: 'REQUIRED' }),
    ...(choice?.type === 'none' && { tool_choice: 'NONE' }),
    ...writeStrict(offered, context),
  };
}

type FunctionTool = Extract<Tool, { type: 'function' }>;

function functionOf(tool: Tool, context: RequestContext): FunctionTool[] {
  if (tool.type === 'function') {
    ownFields(tool.extra, own, context);
    return [tool];
  }
  writeHostedTool(tool, own, context);
  return [];
}

const writeFunction = ({ name, description, schema }: FunctionTool): JsonObject => ({
  type: 'function',
  function: { name, ...(description !== undefined && { description }), parameters: schema },
});

/** Strictness applies to all tools or none, and is refused if a tool has no required parameter. */
function writeStrict(tools: readonly FunctionTool[], { drop }: RequestContext): JsonObject {
  if (!tools.some(({ strict }) => strict === true)) return {};
  const isPossible = tools.every(
    ({ strict, schema }) => strict === true && Array.isArray(schema.required) && schema.required.length > 0,
  );
  if (!isPossible) drop('strict');
  return isPossible ? { strict_tools: true } : {};
}

const writeFormat = (format: Exclude<ResponseFormat, { type: 'text' }>): JsonObject => ({
  type: 'json_object',
  ...(format.type === 'schema' && { json_schema: format.schema }),
});

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** Numbers outside Cohere's range are set to its bounds; it would refuse the request. */
function writeSampling({ sampling }: ChatRequest, { drop }: RequestContext): JsonObject {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, logprobs } = sampling;
  if (sampling.logitBias !== undefined) drop('logitBias');
  if ((sampling.topLogprobs ?? 0) > 0) drop('topLogprobs');
  const penalty = (name: string, value: number | undefined): number | undefined => {
    if (value === undefined || value >= 0) return value === undefined ? undefined : Math.min(1, value);
    // Cohere does not support a reward for repetition.
    drop(name);
    return undefined;
  };
  const fields: JsonObject = {
    temperature,
    p: topP === undefined ? undefined : within(topP, 0.01, 0.99),
    k: topK === undefined ? undefined : within(Math.round(topK), 0, 500),
    frequency_penalty: penalty('frequencyPenalty', frequencyPenalty),
    presence_penalty: penalty('presencePenalty', presencePenalty),
    seed,
    logprobs: logprobs === true ? true : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Cohere's fields that callers of chat send with their own, each with a check of its value. */
const cohereFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  documents: (value) => Array.isArray(value),
  citation_options: isObject,
  safety_mode: (value) => typeof value === 'string',
};

/** Cohere's own fields in a chat: documents to cite. All others are omitted. */
function writeExtra(extra: Extra | undefined, context: RequestContext): JsonObject {
  if (extra?.protocol !== 'openai-chat') return ownFields(extra, own, context);
  const kept: JsonObject = {};
  const others: JsonObject = {};
  for (const [name, value] of Object.entries(extra.fields)) {
    const isKept = Object.hasOwn(cohereFields, name) && cohereFields[name]!(value);
    (isKept ? kept : others)[name] = value;
  }
  ownFields({ ...extra, fields: others }, own, context);
  return kept;
}

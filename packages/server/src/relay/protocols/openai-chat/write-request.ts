import { untranslatable } from '@tollgate/contract/relay-errors';
import { sha256 } from '../../../lib/hash.ts';
import type {
  ChatRequest,
  ReasoningRequest,
  ResponseFormat,
  Sampling,
  Tool,
  RequestContext,
} from '../../types/index.ts';
import {
  cannotTranslate,
  chosenHostedTool,
  objectSchema,
  ownFields,
  writeHostedTool,
} from '../../conversation/index.ts';
import { takenSampling } from '../../families/openai/index.ts';
import { type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { writeMessages } from './write-message.ts';

const own = 'openai-chat';

/** Models of OpenAI that refuse a reasoning effort. */
const neverReasons = /^(gpt-3|gpt-4|chatgpt|gpt-[5-9]-chat)/;
/**
 * Models that accept an effort. Coding clients send a budget with every request, so it becomes an effort only for these
 * models: other vendors would refuse the whole call for it.
 */
const takesEffort = /(^|\/)(o\d|gpt-[5-9](?!\d|-chat)|gpt-oss|grok-3-mini|gemini-|claude-)/;
/** Longer names of end users are refused by OpenAI. */
const maxUserLength = 64;

/** Writes a request as chat completions; docs/protocols/chat-and-messages.md lists what is omitted or refused. */
export function writeChatRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const { stop, responseFormat } = request;
  const reasoning = writeReasoning(request.reasoning, context);
  return {
    model: context.model,
    messages: writeMessages(request.messages, context),
    ...writeTools(request, context),
    ...(responseFormat && responseFormat.type !== 'text' && { response_format: writeFormat(responseFormat) }),
    ...reasoning,
    ...writeSampling(request, takenSampling(request, textOf(reasoning.reasoning_effort), context), context),
    ...(request.maxOutputTokens !== undefined && { max_tokens: request.maxOutputTokens }),
    ...(stop.length > 0 && { stop }),
    ...(request.choices > 1 && { n: request.choices }),
    ...(request.stream && { stream: true }),
    ...(request.user !== undefined && { user: shortName(request.user) }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.serviceTier !== undefined && { service_tier: request.serviceTier }),
    ...ownFields(request.extra, own, context),
  };
}

function writeTools(request: ChatRequest, context: RequestContext): JsonObject {
  if (chosenHostedTool(request)) throw cannotTranslate(untranslatable.forced_tool, own);
  const search: JsonObject = {};
  const tools = request.tools.flatMap((tool) => writeTool(tool, search, context));
  if (tools.length === 0) return search;
  const { toolChoice, parallelToolCalls } = request;
  return {
    ...search,
    tools,
    ...(toolChoice && {
      tool_choice:
        toolChoice.type === 'tool'
          ? { type: 'function', function: { name: toolChoice.name } }
          : toolChoice.type,
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

function writeTool(tool: Tool, search: JsonObject, context: RequestContext): JsonObject[] {
  if (tool.type === 'vendor') {
    const fields = writeHostedTool(tool, own, context);
    if (!fields) return [];
    if (fields.type !== undefined) return [fields];
    // A search is requested by a field of the body, and tools may be beside it.
    const { tools, ...others } = fields;
    Object.assign(search, others);
    return objectsIn(tools);
  }
  ownFields(tool.extra, own, context);
  return [
    {
      type: 'function',
      function: {
        name: tool.name,
        ...(tool.description !== undefined && { description: tool.description }),
        parameters: objectSchema(tool.schema, context.drop),
        ...(tool.strict !== undefined && { strict: tool.strict }),
      },
    },
  ];
}

function writeFormat(format: Exclude<ResponseFormat, { type: 'text' }>): JsonObject {
  if (format.type !== 'schema') return { type: 'json_object' };
  const { name, schema, strict, description } = format;
  return {
    type: 'json_schema',
    json_schema: {
      name,
      ...(description !== undefined && { description }),
      schema,
      ...(strict !== undefined && { strict }),
    },
  };
}

function writeReasoning(
  reasoning: ReasoningRequest | undefined,
  { model, drop }: RequestContext,
): JsonObject {
  if (!reasoning) return {};
  const effort = reasoning.effort ?? effortOf(reasoning);
  if (effort === undefined) return {};
  if (neverReasons.test(model) || (reasoning.effort === undefined && !takesEffort.test(model))) {
    drop('reasoning');
    return {};
  }
  return { reasoning_effort: effort };
}

/** A name that is too long is sent as its digest. */
const shortName = (user: string): string => (user.length > maxUserLength ? sha256(user) : user);

/** A budget as an effort. A request to think without an amount is left to the model. */
function effortOf({ budgetTokens, enabled }: ReasoningRequest): string | undefined {
  if (enabled === false || budgetTokens === undefined) return undefined;
  if (budgetTokens <= 2_048) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}

function writeSampling({ extra }: ChatRequest, sampling: Sampling, { drop }: RequestContext): JsonObject {
  const { topK } = sampling;
  // Not OpenAI's own: its API refuses a request that has it.
  const isOwn = extra?.protocol === own;
  if (topK !== undefined && !isOwn) drop('topK');
  const fields: JsonObject = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: isOwn ? topK : undefined,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { hostedTool, termsOfChat, untranslatedFields } from '../../conversation/index.ts';
import type {
  ChatRequest,
  Extra,
  ReasoningRequest,
  ResponseFormat,
  Sampling,
  Tool,
  ToolChoice,
} from '../../types/index.ts';
import { callsFunctions } from './functions.ts';
import { searchFields } from './inbound.ts';
import { readMessages } from './read-message.ts';

const own = 'openai-chat';

/** Callers with `functions` cannot read a second call. */
function readParallel(body: JsonObject): boolean | undefined {
  if (callsFunctions(body)) return false;
  return typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined;
}

/** Reads a chat completion request into the neutral form. */
export function readChatRequest(body: JsonObject): ChatRequest {
  const choice = readToolChoice(body.tool_choice ?? body.function_call);
  const tools = readTools(body).filter((tool) => isAllowed(tool, choice?.allowed));
  return {
    model: textOf(body.model),
    messages: readMessages(Array.isArray(body.messages) ? body.messages : []),
    tools,
    toolChoice: choice?.choice,
    parallelToolCalls: readParallel(body),
    responseFormat: readFormat(body.response_format),
    reasoning: readReasoning(body),
    sampling: readSampling(body),
    maxOutputTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    stop: readStop(body.stop),
    choices: numberOf(body.n) ?? 1,
    stream: body.stream === true,
    user: typeof body.user === 'string' ? body.user : undefined,
    metadata: readMetadata(body.metadata),
    serviceTier: typeof body.service_tier === 'string' ? body.service_tier : undefined,
    extra: readExtra(body),
  };
}

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

/** A list of allowed tools: the other tools are omitted for a vendor without such a list. */
const isAllowed = (tool: Tool, allowed: ReadonlySet<string> | undefined): boolean =>
  !allowed || tool.type === 'vendor' || allowed.has(tool.name);

function readFormat(format: Json | undefined): ResponseFormat | undefined {
  if (!isObject(format)) return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  if (format.type !== 'json_schema' || !isObject(format.json_schema)) return undefined;
  const { name, schema, strict, description } = format.json_schema;
  return {
    type: 'schema',
    name: textOf(name) || 'answer',
    schema: isObject(schema) ? schema : {},
    ...(typeof strict === 'boolean' && { strict }),
    ...(typeof description === 'string' && { description }),
  };
}

/** OpenAI's effort, OpenRouter's `reasoning`, and the `thinking` of DeepSeek, Zhipu and others. */
function readReasoning(body: JsonObject): ReasoningRequest | undefined {
  const router = isObject(body.reasoning) ? body.reasoning : {};
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const effort = textOf(body.reasoning_effort) || textOf(router.effort);
  const budget = numberOf(router.max_tokens) ?? numberOf(thinking.budget_tokens);
  const enabled = thinking.type === undefined ? router.enabled : thinking.type !== 'disabled';
  const reasoning: ReasoningRequest = {
    ...(effort !== '' && { effort }),
    ...(budget !== undefined && { budgetTokens: budget }),
    ...(typeof enabled === 'boolean' && { enabled }),
    ...(router.exclude === true && { summary: 'omitted' }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

const numbers = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  seed: 'seed',
  top_logprobs: 'topLogprobs',
} as const;

function readSampling(body: JsonObject): Sampling {
  const sampling: Sampling = {};
  for (const [name, neutral] of Object.entries(numbers)) {
    const value = body[name];
    if (typeof value === 'number') sampling[neutral] = value;
  }
  if (isObject(body.logit_bias)) sampling.logitBias = body.logit_bias;
  if (typeof body.logprobs === 'boolean') sampling.logprobs = body.logprobs;
  return sampling;
}

function readStop(stop: Json | undefined): string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter((each): each is string => typeof each === 'string') : [];
}

function readMetadata(metadata: Json | undefined): Record<string, string> | undefined {
  if (!isObject(metadata)) return undefined;
  const texts = Object.entries(metadata).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** No other protocol has sound answers, and an answer in text would be a different one. */
function readExtra(body: JsonObject): Extra | undefined {
  const { fields, ...refused } = untranslatedFields(own, body);
  for (const name of searchFields(body)) delete fields[name];
  if (Object.keys(fields).length === 0) return undefined;
  const { modalities } = fields;
  const wantsSound = Array.isArray(modalities) && modalities.includes('audio');
  return { protocol: own, fields, ...refused, ...(wantsSound && { essential: ['sound as an answer'] }) };
}

/**
 * Tools, functions of the older API, and the search fields of chats: OpenAI's own, and those of vendors that copy its
 * API.
 */
function readTools(body: JsonObject): Tool[] {
  const tools = objectsIn(body.tools).map(readTool);
  const functions = objectsIn(body.functions).map((each) => readFunction(each));
  const fields = searchFields(body).map((name) => {
    const search = name === 'web_search_options' ? termsOfChat(objectOf(body[name])) : undefined;
    return hostedTool(own, name, { [name]: body[name] ?? {} }, search && { search });
  });
  return [...tools, ...functions, ...fields];
}

function readTool(tool: JsonObject): Tool {
  if (isObject(tool.function)) return readFunction(tool.function);
  return hostedTool(own, textOf(tool.type), tool);
}

function readFunction({ name, description, parameters, strict }: JsonObject): Tool {
  return {
    type: 'function',
    name: textOf(name),
    ...(typeof description === 'string' && { description }),
    schema: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
  };
}

interface ReadChoice {
  choice: ToolChoice;
  /** Names of the tools that may be called, if the caller listed them. */
  allowed?: ReadonlySet<string>;
}

/** `tool_choice`, or `function_call` of the older API. */
function readToolChoice(choice: Json | undefined): ReadChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { choice: { type: choice } };
  if (!isObject(choice)) return undefined;
  if (isObject(choice.allowed_tools)) return readAllowed(choice.allowed_tools);
  const name = isObject(choice.function) ? textOf(choice.function.name) : textOf(choice.name);
  return name === '' ? undefined : { choice: { type: 'tool', name } };
}

function readAllowed({ mode, tools }: JsonObject): ReadChoice {
  const names = objectsIn(tools).map((tool) =>
    isObject(tool.function) ? textOf(tool.function.name) : textOf(tool.name),
  );
  return { choice: { type: mode === 'required' ? 'required' : 'auto' }, allowed: new Set(names) };
}

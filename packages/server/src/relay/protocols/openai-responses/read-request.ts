import type {
  ChatRequest,
  Extra,
  Message,
  ReasoningRequest,
  ResponseFormat,
  Sampling,
  Tool,
  ToolChoice,
} from '../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { customSchema, describeFormat } from './custom-tools.ts';
import {
  hostedTool,
  isSearchOfResponses,
  isSearchOptional,
  serverOfResponses,
  termsOfResponses,
  untranslatedFields,
} from '../../conversation/index.ts';
import { flatName, isClientSearch, offeredTools, searchName, toolsIn } from './namespaces.ts';
import { readInput } from './read-input.ts';

const logprobsInclude = 'message.output_text.logprobs';

/** Reads a request into the neutral form. */
export function readRequest(body: JsonObject): ChatRequest {
  const chosen = readToolChoice(body);
  const isOptional = isSearchOptional(body);
  return {
    model: textOf(body.model),
    messages: [...readInstructions(body.instructions), ...readInput(body.input)],
    tools: onceEach(chosen.tools.flatMap((tool) => readTools(tool, isOptional))),
    toolChoice: chosen.choice,
    parallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined,
    responseFormat: readFormat(objectOf(body.text).format),
    reasoning: readReasoning(body.reasoning),
    sampling: readSampling(body),
    maxOutputTokens: isBound(body.max_output_tokens) ? body.max_output_tokens : undefined,
    stop: [],
    choices: 1,
    stream: body.stream === true,
    user: typeof body.user === 'string' ? body.user : undefined,
    metadata: readMetadata(body.metadata),
    serviceTier: typeof body.service_tier === 'string' ? body.service_tier : undefined,
    extra: readExtra(body, chosen.unsupported),
  };
}

const isBound = (value: Json | undefined): value is number => typeof value === 'number' && value > 0;

function readInstructions(instructions: Json | undefined): Message[] {
  if (typeof instructions === 'string' && instructions !== '') {
    return [{ role: 'system', parts: [{ type: 'text', text: instructions }] }];
  }
  return Array.isArray(instructions) ? readInput(instructions) : [];
}

/** A tool may be offered from the beginning and found again. */
function onceEach(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.filter((tool) => tool.type !== 'function' || (!names.has(tool.name) && names.add(tool.name)));
}

/** One tool, or those of a namespace, each under a name that contains both names. */
function readTools(tool: JsonObject, isOptional: boolean): Tool[] {
  if (tool.type !== 'namespace') return [readTool(tool, isOptional)];
  return toolsIn([tool]).map(({ tool: inner, namespace }): Tool => {
    const read = readFunction(inner, inner.type === 'custom');
    const extra: Extra = { protocol: 'openai-responses', fields: { ...tool, tools: [inner] } };
    return { ...read, name: flatName(namespace, read.name), extra };
  });
}

function readTool(tool: JsonObject, isOptional: boolean): Tool {
  const type = textOf(tool.type);
  if (type === 'function' || type === 'custom') return readFunction(tool, type === 'custom');
  if (isClientSearch(tool))
    return {
      ...readFunction({ ...tool, name: searchName }, false),
      extra: { protocol: 'openai-responses', fields: tool },
    };
  if (type === 'mcp') return { ...hostedTool('openai-responses', type, tool), ...serverOfResponses(tool) };
  if (!isSearchOfResponses(type)) return hostedTool('openai-responses', type, tool);
  const search = termsOfResponses(tool);
  return hostedTool('openai-responses', type, tool, {
    ...(search && { search }),
    ...(isOptional && { isOptional: true }),
  });
}

function readFunction(tool: JsonObject, isCustom: boolean): Extract<Tool, { type: 'function' }> {
  const description = isCustom ? describeFormat(tool) : textOf(tool.description);
  return {
    type: 'function',
    name: textOf(tool.name),
    ...(description !== '' && { description }),
    schema: isCustom ? customSchema : objectOf(tool.parameters),
    ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
    ...(isCustom && { extra: { protocol: 'openai-responses', fields: tool } }),
  };
}

interface ChosenTools {
  tools: JsonObject[];
  choice: ToolChoice | undefined;
  /** A choice without a neutral form. */
  unsupported: boolean;
}

function readToolChoice(body: JsonObject): ChosenTools {
  const tools = offeredTools(body);
  const choice = body.tool_choice;
  if (choice === 'auto' || choice === 'none' || choice === 'required') {
    return { tools, choice: { type: choice }, unsupported: false };
  }
  if (!isObject(choice)) return { tools, choice: undefined, unsupported: false };
  if (choice.type === 'function' || choice.type === 'custom') {
    return { tools, choice: { type: 'tool', name: textOf(choice.name) }, unsupported: false };
  }
  if (choice.type !== 'allowed_tools') {
    // No other vendor can force an MCP server's tool.
    const isOffered = choice.type !== 'mcp' && tools.some(({ type }) => type === choice.type);
    const chosen = isOffered ? ({ type: 'tool', name: textOf(choice.type) } as const) : undefined;
    return { tools, choice: chosen, unsupported: !isOffered };
  }
  // Tools that may not be called in this turn are omitted.
  const allowed = objectsIn(choice.tools);
  const isAllowed = (tool: JsonObject): boolean =>
    allowed.some(
      ({ type, name, server_label: label }) =>
        type === tool.type &&
        (name === undefined || type === 'mcp' || name === tool.name) &&
        (label === undefined || label === tool.server_label),
    );
  const type = choice.mode === 'required' ? 'required' : 'auto';
  const namesOne = allowed.some(({ type: kind, name }) => kind === 'mcp' && name !== undefined);
  return { tools: tools.filter(isAllowed), choice: { type }, unsupported: namesOne };
}

function readFormat(format: Json | undefined): ResponseFormat | undefined {
  if (!isObject(format)) return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  if (format.type !== 'json_schema') return { type: 'text' };
  return {
    type: 'schema',
    name: textOf(format.name),
    schema: objectOf(format.schema),
    ...(typeof format.strict === 'boolean' && { strict: format.strict }),
    ...(typeof format.description === 'string' && { description: format.description }),
  };
}

function readReasoning(given: Json | undefined): ReasoningRequest | undefined {
  if (!isObject(given)) return undefined;
  const summary = given.summary ?? given.generate_summary;
  const reasoning: ReasoningRequest = {
    ...(typeof given.effort === 'string' && { effort: given.effort }),
    ...(typeof summary === 'string' && { summary }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function readSampling(body: JsonObject): Sampling {
  const include = Array.isArray(body.include) ? body.include : [];
  return {
    ...(typeof body.temperature === 'number' && { temperature: body.temperature }),
    ...(typeof body.top_p === 'number' && { topP: body.top_p }),
    ...(include.includes(logprobsInclude) && { logprobs: true }),
    ...(typeof body.top_logprobs === 'number' && body.top_logprobs > 0 && { topLogprobs: body.top_logprobs }),
  };
}

function readMetadata(metadata: Json | undefined): Record<string, string> | undefined {
  if (!isObject(metadata)) return undefined;
  const texts = Object.entries(metadata).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

function readExtra(body: JsonObject, isChoiceUnsupported: boolean): Extra | undefined {
  const { fields, ...refused } = untranslatedFields('openai-responses', body);
  const { verbosity } = objectOf(body.text);
  if (typeof verbosity === 'string') fields.verbosity = verbosity;
  if (isChoiceUnsupported) fields.tool_choice = body.tool_choice;
  if (Object.keys(fields).length === 0) return undefined;
  const essential = isChoiceUnsupported && { essential: ['tool_choice'] };
  return { protocol: 'openai-responses', fields, ...refused, ...essential };
}

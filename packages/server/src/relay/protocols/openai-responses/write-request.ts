import { untranslatable } from '@tollgate/contract/relay-errors';
import type {
  ChatRequest,
  Message,
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
  sharedWithResponses,
  writeHostedTool,
} from '../../conversation/index.ts';
import { takenSampling } from '../../families/openai/index.ts';
import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { gatherNamespaces } from './namespaces.ts';
import { writeInput } from './write-input.ts';

const own = 'openai-responses';

/** Sampling fields that this protocol lacks. */
const unsupported = ['topK', 'frequencyPenalty', 'presencePenalty', 'seed', 'logitBias'] as const;

/** Writes a request of any protocol. It is not stored, because its caller could not refer to it later. */
export function writeRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const { instructions, rest } = splitInstructions(request.messages);
  const [shared, others] = sharedWithResponses(request.extra);
  const {
    verbosity,
    tool_choice: choice,
    ...extra
  } = { ...shared, ...ownFields(others, own, context) } as JsonObject;
  const format = request.responseFormat && writeFormat(request.responseFormat);
  const text = { ...(format && { format }), ...(verbosity !== undefined && { verbosity }) };
  const reasoning = writeReasoning(request, context);
  const sampling = takenSampling(request, textOf(objectOf(reasoning.reasoning).effort), context);
  const { temperature, topP, topLogprobs } = sampling;
  for (const name of unsupported) if (request.sampling[name] !== undefined) context.drop(name);
  if (request.stop.length > 0) context.drop('stop');
  // A caller that requests several answers relies on all of them.
  if (request.choices > 1) throw cannotTranslate(untranslatable.several_answers, own);
  return {
    model: request.model,
    ...(instructions !== undefined && { instructions }),
    input: writeInput(rest, context),
    stream: request.stream,
    ...writeTools(request, context),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(Object.keys(text).length > 0 && { text }),
    ...reasoning,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topLogprobs !== undefined && { top_logprobs: topLogprobs }),
    ...(request.maxOutputTokens !== undefined && { max_output_tokens: request.maxOutputTokens }),
    ...(request.parallelToolCalls !== undefined && { parallel_tool_calls: request.parallelToolCalls }),
    ...(request.user !== undefined && { user: request.user }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.serviceTier !== undefined && { service_tier: request.serviceTier }),
    store: false,
    ...writeInclude(request, sampling, context),
    ...extra,
  };
}

/** The system messages before the conversation are its instructions. */
function splitInstructions(messages: readonly Message[]): {
  instructions: string | undefined;
  rest: Message[];
} {
  const [first, ...rest] = messages;
  const texts =
    first?.role === 'system' ? first.parts.map((part) => (part.type === 'text' ? part.text : undefined)) : [];
  if (texts.length === 0 || texts.includes(undefined))
    return { instructions: undefined, rest: [...messages] };
  return { instructions: texts.join('\n\n'), rest };
}

/** Requested additions to the answer: log probabilities and pages of searches. */
function writeInclude(
  { tools }: ChatRequest,
  sampling: Sampling,
  { namesPages }: RequestContext,
): JsonObject {
  const searches = tools.some((tool) => tool.type === 'vendor' && tool.kind === 'web-search');
  const include = [
    ...(sampling.logprobs ? ['message.output_text.logprobs'] : []),
    ...(searches && namesPages ? ['web_search_call.action.sources'] : []),
  ];
  return include.length > 0 ? { include } : {};
}

function writeTools(request: ChatRequest, context: RequestContext): JsonObject {
  const tools = gatherNamespaces(request.tools.flatMap((tool) => writeTool(tool, context)));
  const choice = request.toolChoice;
  if (tools.length === 0) return {};
  if (!choice) return { tools };
  if (choice.type !== 'tool') return { tools, tool_choice: choice.type };
  const hosted = chosenHostedTool(request);
  if (hosted) {
    const type = writeHostedTool(hosted, own, { ...context, drop: () => undefined })?.type;
    return { tools, ...(type !== undefined && { tool_choice: { type } }) };
  }
  const type = tools.some((tool) => tool.type === 'custom' && tool.name === choice.name)
    ? 'custom'
    : 'function';
  return { tools, tool_choice: { type, name: choice.name } };
}

function writeTool(tool: Tool, context: RequestContext): JsonObject[] {
  if (tool.type === 'function') {
    if (tool.extra?.protocol === own) return [tool.extra.fields];
    const { name, description, schema, strict } = tool;
    // Absent means strict in this protocol and not strict in others.
    const base = {
      type: 'function',
      name,
      parameters: objectSchema(schema, context.drop),
      strict: strict ?? false,
    };
    return [{ ...base, ...(description !== undefined && { description }) }];
  }
  const fields = writeHostedTool(tool, own, context);
  return fields ? [fields] : [];
}

function writeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' };
  if (format.type !== 'schema') return { type: 'text' };
  const { name, schema, strict, description } = format;
  return {
    type: 'json_schema',
    name: name === '' ? 'answer' : name,
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
}

/** A budget is written as the nearest effort. */
function writeReasoning({ reasoning }: ChatRequest, context: RequestContext): JsonObject {
  if (!reasoning) return {};
  const { effort, budgetTokens, enabled, summary } = reasoning;
  if (enabled === false) return { reasoning: { effort: minEffort(context) } };
  if (effort === undefined && budgetTokens !== undefined) context.drop('budgetTokens');
  const level = effort ?? (budgetTokens === undefined ? undefined : levelOf(budgetTokens));
  const written = {
    ...(level !== undefined && { effort: level }),
    ...(summary !== undefined && { summary }),
  };
  return Object.keys(written).length > 0 ? { reasoning: written } : {};
}

/** The least thinking that a model supports: some models always think. */
function minEffort({ model, drop }: RequestContext): string {
  // developers.openai.com/api/docs/models/gpt-6-astra and gpt-6.1-sol
  if (!/^gpt-6(\.\d+)?-astra|^gpt-6\.\d+-sol/.test(model)) return 'none';
  drop('reasoning');
  return 'low';
}

const levelOf = (budget: number): string => (budget <= 2_048 ? 'low' : budget <= 12_288 ? 'medium' : 'high');

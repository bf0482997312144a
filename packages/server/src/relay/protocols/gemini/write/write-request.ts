import type {
  ChatRequest,
  Message,
  RequestContext,
  ResponseFormat,
  Sampling,
  Tool,
} from '../../../types/index.ts';
import { untranslatable } from '@tollgate/contract/relay-errors';
import {
  cannotTranslate,
  dropSampling,
  chosenHostedTool,
  ownFields,
  writeHostedTool,
} from '../../../conversation/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { googleFields } from './google-fields.ts';
import { cleanParameters, cleanSchema, ReferenceRoom } from '../schema.ts';
import { thinksAlways, writeThinking } from '../thinking.ts';
import { writeContents, writeSystem } from './write-contents.ts';

const own = 'gemini';
/** Gemini's maximum. */
const maxStops = 5;

/**
 * Writes a request of any protocol. The empty list of safety settings requests the site's own settings
 * (`gemini.safety_settings`), which the provider adds: other protocols have no such field.
 */
export function writeRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const google = googleFields(request, context);
  const system = writeSystem(request.messages);
  const contents = writeContents(request.messages, context);
  const { user, metadata, serviceTier, parallelToolCalls } = request;
  for (const [name, value] of Object.entries({ user, metadata, serviceTier, parallelToolCalls })) {
    if (value !== undefined) context.drop(name);
  }
  const room = new ReferenceRoom();
  const config = { ...writeConfig(request, context, room), ...google.config };
  return {
    contents,
    ...(system && { systemInstruction: system }),
    ...writeTools(request, context, room),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    safetySettings: [],
    ...google.fields,
  };
}

function writeConfig(request: ChatRequest, context: RequestContext, room: ReferenceRoom): JsonObject {
  const { maxOutputTokens, choices, responseFormat } = request;
  if (request.stop.length > maxStops) context.drop('stop');
  const stop = request.stop.slice(0, maxStops);
  const thinking = writeThinking(request.reasoning, context.model);
  return {
    ...writeSampling(request.sampling, context),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(choices > 1 && { candidateCount: choices }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(responseFormat && writeFormat(responseFormat, room)),
    ...(thinking && { thinkingConfig: thinking }),
    ...(asksForLittleDetail(request.messages) && { mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
  };
}

/**
 * True if each image has `detail: low` and there are no other media: Google has one resolution for all. High detail is
 * its default.
 */
function asksForLittleDetail(messages: readonly Message[]): boolean {
  const parts = messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === 'tool-result' ? part.parts : [part])),
  );
  const media = parts.filter(({ type }) => type === 'image' || type === 'file' || type === 'audio');
  return media.length > 0 && media.every((part) => part.type === 'image' && part.detail === 'low');
}

function writeSampling(sampling: Sampling, context: RequestContext): JsonObject {
  const { logitBias, logprobs, topLogprobs, frequencyPenalty, presencePenalty, ...numbers } = sampling;
  if (logitBias !== undefined) context.drop('logitBias');
  const takesPenalties = !thinksAlways(context.model);
  // The newest models refuse calls with these fields.
  if (!takesPenalties) dropSampling(sampling, ['frequencyPenalty', 'presencePenalty'], context);
  return {
    ...numbers,
    ...(takesPenalties && frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(takesPenalties && presencePenalty !== undefined && { presencePenalty }),
    ...(logprobs === true && { responseLogprobs: true }),
    ...(topLogprobs !== undefined && { logprobs: topLogprobs }),
  };
}

function writeFormat(format: ResponseFormat, room: ReferenceRoom): JsonObject {
  if (format.type === 'text') return { responseMimeType: 'text/plain' };
  const schema = format.type === 'schema' ? { responseSchema: cleanSchema(format.schema, room) } : {};
  return { responseMimeType: 'application/json', ...schema };
}

/** Functions by these names are Google's own tools (docs/compatibility.md#conversions). */
const builtIn = new Set(['googleSearch', 'codeExecution', 'urlContext']);

function writeTools(request: ChatRequest, context: RequestContext, room: ReferenceRoom): JsonObject {
  const declarations: JsonObject[] = [];
  const tools: JsonObject[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'vendor') tools.push(...asList(writeHostedTool(tool, own, context)));
    else if (builtIn.has(tool.name)) tools.push({ [tool.name]: {} });
    else declarations.push(writeFunction(tool, context, room));
  }
  if (declarations.length > 0) tools.push({ functionDeclarations: declarations });
  // Google decides when its own tools are called.
  if (chosenHostedTool(request)) throw cannotTranslate(untranslatable.forced_tool, own);
  if (tools.length === 0) return {};
  const choice = request.toolChoice;
  if (!choice || declarations.length === 0) return { tools };
  const functionCallingConfig =
    choice.type === 'tool'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: choice.type === 'required' ? 'ANY' : choice.type.toUpperCase() };
  return { tools, toolConfig: { functionCallingConfig } };
}

const asList = (tool: JsonObject | undefined): JsonObject[] => (tool ? [tool] : []);

function writeFunction(
  tool: Extract<Tool, { type: 'function' }>,
  context: RequestContext,
  room: ReferenceRoom,
): JsonObject {
  const { name, description, schema, strict } = tool;
  ownFields(tool.extra, own, context);
  if (strict === true) context.drop('strict');
  const parameters = cleanParameters(schema, room);
  return { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) };
}

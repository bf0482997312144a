import type { ChatRequest, ResponseFormat, RequestContext } from '../../types/index.ts';
import { cannotTranslate, dropSampling, samplingOfOpenai, ownFields } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isClaude, isNova, takesSchema } from './families.ts';
import { writeMessages } from './write-messages.ts';
import { writeThinking } from './write-thinking.ts';
import { noToolWords, writeTools } from './write-tools.ts';

const own = 'bedrock-converse';

/**
 * Writes a request for Converse; see the table of docs/protocols/bedrock.md for what it cannot say. The path tells the
 * model.
 */
export function writeConverseRequest(request: ChatRequest, context: RequestContext): JsonObject {
  if (request.choices > 1) throw cannotTranslate(`n = ${request.choices}`, own);
  const { system, messages } = writeMessages(request.messages, context);
  const { toolConfig, isForbidden } = writeTools(request, context);
  const format = writeFormat(request.responseFormat, context);
  const words = [...format.words, ...(isForbidden ? [noToolWords] : [])].map((text) => ({ text }));
  const thinking = writeThinking(request, context);
  const config = { ...writeBounds(request), ...thinking.config };
  const more = { ...writeTopK(request, context), ...thinking.fields };
  dropUnknown(request, context);
  return {
    messages,
    ...(system.length + words.length > 0 && { system: [...system, ...words] }),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...(toolConfig && { toolConfig }),
    ...format.fields,
    ...(Object.keys(more).length > 0 && { additionalModelRequestFields: more }),
    ...ownFields(request.extra, own, context),
  };
}

function writeBounds({ maxOutputTokens, sampling, stop }: ChatRequest): JsonObject {
  const { temperature, topP } = sampling;
  const usable = stop.filter((sequence) => sequence !== '');
  return {
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(topP !== undefined && { topP }),
    ...(usable.length > 0 && { stopSequences: usable }),
  };
}

/** Converse itself has no `top_k`; the models that know it have it under their own names. */
function writeTopK({ sampling }: ChatRequest, { model, drop }: RequestContext): JsonObject {
  const { topK } = sampling;
  if (topK === undefined) return {};
  if (isNova(model)) return { inferenceConfig: { topK } };
  if (isClaude(model)) return { top_k: topK };
  drop('topK');
  return {};
}

interface WrittenFormat {
  /** Told in the instructions, where the model cannot be held to it. */
  words: string[];
  fields: JsonObject;
}

const jsonWords =
  'Answer with one JSON object and nothing else: no words before or behind it, no code fence.';

function writeFormat(format: ResponseFormat | undefined, { model }: RequestContext): WrittenFormat {
  if (format?.type === 'json') return { words: [jsonWords], fields: {} };
  if (format?.type !== 'schema') return { words: [], fields: {} };
  const schema = JSON.stringify(format.schema);
  if (!takesSchema(model)) {
    return { words: [`${jsonWords} It must fit this JSON schema: ${schema}`], fields: {} };
  }
  const { name, description } = format;
  const jsonSchema = { schema, name, ...(description !== undefined && { description }) };
  return {
    words: [],
    fields: { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } },
  };
}

function dropUnknown(request: ChatRequest, context: RequestContext): void {
  const { drop } = context;
  dropSampling(request.sampling, samplingOfOpenai, context);
  const { user, metadata, serviceTier } = request;
  for (const [name, value] of Object.entries({ user, metadata, serviceTier })) {
    if (value !== undefined) drop(name);
  }
}

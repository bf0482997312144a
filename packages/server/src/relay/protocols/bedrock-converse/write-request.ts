import type { ChatRequest, Message, RequestContext, ResponseFormat } from '../../types/index.ts';
import {
  cannotTranslate,
  dropSampling,
  gatherTurns,
  ownFields,
  samplingOfOpenai,
} from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isClaude, isNova, takesSchema } from './families.ts';
import { writeThinking } from './write-thinking.ts';
import { noToolWords, writeTools } from './write-tools.ts';
import { MediaWriter } from './write-media.ts';
import { noWords, PartWriter } from './write-part.ts';

interface Written {
  /** Blocks of the instructions, from any position. */
  system: JsonObject[];
  messages: JsonObject[];
}

/** The messages in turns of user and assistant, the user's first, and the instructions separately. */
function writeMessages(messages: readonly Message[], context: RequestContext): Written {
  const parts = new PartWriter(context, new MediaWriter(context));
  const { system, turns } = gatherTurns(messages, (message) => {
    if (message.name !== undefined) context.drop('name');
    return message.parts.flatMap((part) => parts.write(part));
  });
  return {
    system,
    messages: turns.map(({ role, content }) => ({ role, content: complete(ordered(role, content)) })),
  };
}

/** Results of tools are first in their turn. */
function ordered(role: string, content: JsonObject[]): JsonObject[] {
  if (role === 'assistant') return content;
  const isResult = ({ toolResult }: JsonObject): boolean => toolResult !== undefined;
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** A turn needs text; a turn of documents only is refused. */
function complete(content: JsonObject[]): JsonObject[] {
  if (content.length === 0) return [noWords];
  const hasDocument = content.some(({ document }) => document !== undefined);
  return hasDocument && !content.some(({ text }) => text !== undefined) ? [...content, noWords] : content;
}

const own = 'bedrock-converse';

/**
 * Writes a request for Converse; docs/protocols/bedrock.md lists what is omitted or refused. The path has the model.
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

/** Converse has no `top_k`; some models have it under their own names. */
function writeTopK({ sampling }: ChatRequest, { model, drop }: RequestContext): JsonObject {
  const { topK } = sampling;
  if (topK === undefined) return {};
  if (isNova(model)) return { inferenceConfig: { topK } };
  if (isClaude(model)) return { top_k: topK };
  drop('topK');
  return {};
}

interface WrittenFormat {
  /** Instructions for the schema, for models without answers by a schema. */
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

import type { ChatRequest, Message, Part, RequestContext } from '../../../types/index.ts';
import { cannotTranslate, dropSampling, samplingOfOpenai, ownFields } from '../../../conversation/index.ts';
import { type JsonObject, textOf } from '../../../../lib/json.ts';
import { isClaude, takesSampling } from '../models.ts';
import { writeThinking } from './write-thinking.ts';
import { writeMessages } from './write-message.ts';
import { writeServers, writeToolChoice, writeTools } from './write-tools.ts';

const own = 'anthropic-messages';

/** Messages has no JSON mode without a schema: it is requested in words. */
const jsonWords =
  'Answer with one JSON object and nothing else: no words before or behind it, no code fence.';

/** Writes a request as Messages; docs/protocols/chat-and-messages.md lists what is omitted or refused. */
export function writeAnthropicRequest(request: ChatRequest, context: RequestContext): JsonObject {
  if (request.choices > 1) throw cannotTranslate(`n = ${request.choices}`, own);
  const servers = writeServers(request.tools);
  const { system, messages } = writeMessages(knownCalls(request.messages, servers, context), context);
  if (request.responseFormat?.type === 'json') system.push({ type: 'text', text: jsonWords });
  const tools = writeTools(request.tools, context);
  const choice = writeToolChoice(request, tools.length > 0, context);
  const thinking = writeThinking(request, messages, context);
  dropUnknown(request, context);
  return {
    model: context.model,
    ...(request.maxOutputTokens !== undefined && { max_tokens: request.maxOutputTokens }),
    ...(system.length > 0 && { system: plain(system) }),
    messages,
    ...(servers.length > 0 && { mcp_servers: servers }),
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice }),
    ...thinking.fields,
    ...writeOutputConfig(request, thinking.effort),
    ...writeSampling(request, thinking.isOn, context),
    ...writeStop(request, context),
    ...(request.stream && { stream: true }),
    ...(request.user !== undefined && { metadata: { user_id: request.user } }),
    ...writeTier(request, context),
    ...ownFields(request.extra, own, context),
  };
}

/** Calls of a server that is no longer offered are omitted and named: the vendor does not know the server. */
function knownCalls(
  messages: readonly Message[],
  servers: readonly JsonObject[],
  { drop }: RequestContext,
): readonly Message[] {
  const isKnown = (part: Part): boolean => {
    const call = part.type === 'other' && part.extra.protocol !== own ? part.call : undefined;
    if (!call || call === 'follows' || call.kind === 'web-search') return true;
    if (servers.some(({ name }) => name === call.server)) return true;
    drop(`${call.kind} of ${call.server}`);
    return false;
  };
  return messages.map((message) => ({ ...message, parts: message.parts.filter(isKnown) }));
}

/** A single plain text is written as the text itself, as most callers do. */
function plain(system: JsonObject[]): string | JsonObject[] {
  const [first, second] = system;
  const isPlain = !second && first && Object.keys(first).length === 2 && typeof first.text === 'string';
  return isPlain ? textOf(first.text) : system;
}

function writeOutputConfig({ responseFormat }: ChatRequest, effort: string | undefined): JsonObject {
  const format =
    responseFormat?.type === 'schema' ? { type: 'json_schema', schema: responseFormat.schema } : undefined;
  if (!format && effort === undefined) return {};
  return { output_config: { ...(format && { format }), ...(effort !== undefined && { effort }) } };
}

/**
 * Claude accepts no sampling while it thinks, its newest models accept none at all, and of temperature and top_p only
 * one is allowed.
 */
function writeSampling(
  request: ChatRequest,
  isThinking: boolean,
  { model, drop }: RequestContext,
): JsonObject {
  const { temperature, topP, topK } = request.sampling;
  if (!isClaude(model)) {
    return {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(topK !== undefined && { top_k: topK }),
    };
  }
  if (isThinking || !takesSampling(model)) {
    if (temperature !== undefined) drop('temperature');
    if (topP !== undefined) drop('topP');
    if (topK !== undefined) drop('topK');
    return {};
  }
  if (temperature !== undefined && topP !== undefined && request.extra?.protocol !== own) {
    drop('topP');
    return { temperature: Math.min(1, temperature), ...(topK !== undefined && { top_k: topK }) };
  }
  return {
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** The vendor refuses blank stop sequences. */
function writeStop({ stop }: ChatRequest, { drop }: RequestContext): JsonObject {
  const usable = stop.filter((sequence) => sequence.trim() !== '');
  if (usable.length < stop.length) drop('stop');
  return usable.length > 0 ? { stop_sequences: usable } : {};
}

function writeTier({ serviceTier }: ChatRequest, { drop }: RequestContext): JsonObject {
  if (serviceTier === undefined) return {};
  if (serviceTier === 'auto' || serviceTier === 'priority') return { service_tier: 'auto' };
  if (serviceTier === 'default') return { service_tier: 'standard_only' };
  drop('serviceTier');
  return {};
}

function dropUnknown(request: ChatRequest, context: RequestContext): void {
  const { drop } = context;
  dropSampling(request.sampling, samplingOfOpenai, context);
  if (request.metadata) drop('metadata');
}

import type { ChatRequest, Extra, Message, ReasoningRequest, ResponseFormat } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../../lib/json.ts';
import { untranslatedFields } from '../../../conversation/index.ts';
import { no } from '../inbound.ts';
import { readMessage, readSystem } from './read-message.ts';
import { readToolChoice, readTools } from './read-tools.ts';

const tiers: Readonly<Record<string, string>> = { auto: 'auto', standard_only: 'default' };

/** Reads a Messages request into the neutral form. */
export function readAnthropicRequest(body: JsonObject): ChatRequest {
  const choice = isObject(body.tool_choice) ? body.tool_choice : undefined;
  const metadata = isObject(body.metadata) ? body.metadata : {};
  return {
    model: textOf(body.model),
    messages: readMessages(body),
    tools: readTools(body),
    toolChoice: choice && readToolChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    responseFormat: readFormat(body),
    reasoning: readReasoning(body),
    sampling: {
      ...(typeof body.temperature === 'number' && { temperature: body.temperature }),
      ...(typeof body.top_p === 'number' && { topP: body.top_p }),
      ...(typeof body.top_k === 'number' && { topK: body.top_k }),
    },
    maxOutputTokens: numberOf(body.max_tokens),
    stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.filter(isText) : [],
    choices: 1,
    stream: body.stream === true,
    user: typeof metadata.user_id === 'string' ? metadata.user_id : undefined,
    metadata: undefined,
    serviceTier: typeof body.service_tier === 'string' ? tiers[body.service_tier] : undefined,
    extra: readExtra(body),
  };
}

const isText = (value: Json): value is string => typeof value === 'string';
const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

function readMessages(body: JsonObject): Message[] {
  const list = Array.isArray(body.messages) ? body.messages : [];
  const messages = list.flatMap((message) => (isObject(message) ? readMessage(message) : []));
  const system = readSystem(body.system);
  return system ? [system, ...messages] : messages;
}

function readReasoning({ thinking, output_config: config }: JsonObject): ReasoningRequest | undefined {
  const effort = isObject(config) && typeof config.effort === 'string' ? config.effort : undefined;
  const reasoning: ReasoningRequest = { ...(effort !== undefined && { effort }) };
  if (isObject(thinking)) {
    if (thinking.type === 'enabled' && typeof thinking.budget_tokens !== 'number') {
      return no('thinking_without_budget');
    }
    // Some models require reasoning between tools.
    reasoning.enabled = thinking.type !== 'disabled' && thinking.type !== 'between_tools';
    if (typeof thinking.budget_tokens === 'number') reasoning.budgetTokens = thinking.budget_tokens;
    if (typeof thinking.display === 'string') reasoning.summary = thinking.display;
  }
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** A schema for the answer, under its newer or older name. */
function readFormat(body: JsonObject): ResponseFormat | undefined {
  const config = isObject(body.output_config) ? body.output_config : {};
  const format = config.format ?? body.output_format;
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.schema)) return undefined;
  return { type: 'schema', name: 'answer', schema: format.schema, strict: true };
}

function readExtra(body: JsonObject): Extra | undefined {
  const { fields, ...refused } = untranslatedFields('anthropic-messages', body);
  return Object.keys(fields).length > 0 ? { protocol: 'anthropic-messages', fields, ...refused } : undefined;
}

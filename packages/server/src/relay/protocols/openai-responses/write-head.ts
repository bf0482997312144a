import type { Usage } from '@tollgate/contract';
import type { ChatEvent, FinishReason, WriterOptions } from '../../types/index.ts';
import { type JsonObject, objectsIn } from '../../../lib/json.ts';
import { writeUsage } from './usage.ts';

/** Fields of the request that its response repeats, and their default values. */
const repeated: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  presence_penalty: 0,
  frequency_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
};

/** Fields of a response object beside its output: model, time, and parameters of the request. */
export function headOf(
  event: Extract<ChatEvent, { type: 'start' }> | undefined,
  { fallback, request, kept }: WriterOptions,
): JsonObject {
  const { requestId, model, createdSeconds } = fallback;
  const id = event?.id ?? '';
  const fields = Object.keys(repeated).map((name) => [name, request[name] ?? repeated[name]] as const);
  return {
    id: id.startsWith('resp_') ? id : `resp_${requestId}`,
    object: 'response',
    created_at: event?.createdSeconds || createdSeconds,
    completed_at: null,
    status: 'in_progress',
    access_programs: null,
    background: false,
    error: null,
    incomplete_details: null,
    model: event?.model || model,
    output: [],
    ...(kept?.conversation && { conversation: { id: kept.conversation.id } }),
    previous_response_id: kept?.after ?? null,
    service_tier: event?.serviceTier ?? 'default',
    store: kept?.store ?? false,
    usage: null,
    ...Object.fromEntries(fields),
    tools: objectsIn(request.tools).map(writtenTool),
  };
}

/** A tool as a response repeats it, with a function's default values. */
const writtenTool = (tool: JsonObject): JsonObject =>
  tool.type === 'function'
    ? { description: null, parameters: null, ...tool, strict: tool.strict ?? null }
    : tool;

/** The reason why a response is incomplete; undefined for a complete one. */
export function incompleteReason(finish: FinishReason | undefined): string | undefined {
  if (finish?.unified === 'length') return 'max_output_tokens';
  return finish?.unified === 'content-filter' ? 'content_filter' : undefined;
}

/** The response at its end. */
export function finished(
  head: JsonObject,
  output: JsonObject[],
  finish: FinishReason | undefined,
  usage: Usage | undefined,
): JsonObject {
  const reason = incompleteReason(finish);
  return {
    ...head,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usage ? writeUsage(usage) : null,
  };
}

import type { Usage } from '@tollgate/contract';
import type { ChatEvent, FinishReason } from '../../model/chat.ts';
import type { AnswerName } from '../../model/codec.ts';
import type { JsonObject } from '../../model/json.ts';
import { writeUsage } from './usage.ts';

/** What a response object says beside its output: who answered, when, and the defaults of what was not asked for. */
export function headOf(
  event: Extract<ChatEvent, { type: 'start' }> | undefined,
  { requestId, model, createdSeconds }: AnswerName,
): JsonObject {
  const id = event?.id ?? '';
  return {
    id: id.startsWith('resp_') ? id : `resp_${requestId}`,
    object: 'response',
    created_at: event?.createdSeconds || createdSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: event?.model || model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    ...(event?.serviceTier !== undefined && { service_tier: event.serviceTier }),
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
}

/** Why a response is incomplete; undefined for one that is whole. */
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

import type { JsonObject } from '../../../../lib/json.ts';
import type { AnswerName, ChatEvent } from '../../../types/index.ts';

/** The id of a message. Another vendor's id gets the prefix that clients expect. */
export function headOf(
  event: Extract<ChatEvent, { type: 'start' }> | undefined,
  { requestId, model }: AnswerName,
): JsonObject {
  const id = event?.id || requestId;
  return {
    id: id.startsWith('msg_') ? id : `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: event?.model || model,
    container: null,
    diagnostics: null,
    stop_details: null,
  };
}

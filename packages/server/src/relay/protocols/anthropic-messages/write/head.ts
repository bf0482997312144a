import type { ChatEvent, AnswerName } from '../../../types/index.ts';

/** What a message is called. Another vendor's id gets the prefix by which clients know a message. */
export function headOf(
  event: Extract<ChatEvent, { type: 'start' }> | undefined,
  { requestId, model }: AnswerName,
): { id: string; type: 'message'; role: 'assistant'; model: string } {
  const id = event?.id || requestId;
  return {
    id: id.startsWith('msg_') ? id : `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: event?.model || model,
  };
}

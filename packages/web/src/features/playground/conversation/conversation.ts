import type { ChatMessage } from '../../../lib/api/chat-stream.ts';
import type { Answer, Message, Question } from '../base/types.ts';

/** The first number of a message; the greeting has 2 and 3. */
const firstId = 4;

export const nextId = (messages: readonly Message[]): number =>
  messages.reduce((highest, { id }) => Math.max(highest, id), firstId - 1) + 1;

/** The messages that are sent to the model: those below the last divider. */
export function inContext(messages: readonly Message[]): readonly (Question | Answer)[] {
  const line = messages.findLastIndex(({ role }) => role === 'divider');
  return messages
    .slice(line + 1)
    .filter((message): message is Question | Answer => message.role !== 'divider');
}

/** Everything before a message. */
export function before(messages: readonly Message[], id: number): readonly Message[] {
  const at = messages.findIndex((message) => message.id === id);
  return at < 0 ? messages : messages.slice(0, at);
}

/** The messages of a request: the system prompt, if any, then the questions and answers in context. */
export function toSend(messages: readonly Message[], system: string): ChatMessage[] {
  const spoken = inContext(messages).flatMap((message): ChatMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: contentOf(message) }];
    // A failed or empty answer would teach the model to answer with nothing.
    return message.content.trim() === '' ? [] : [{ role: 'assistant', content: message.content }];
  });
  return system.trim() === '' ? spoken : [{ role: 'system', content: system }, ...spoken];
}

const contentOf = ({ content, images }: Question): ChatMessage['content'] =>
  images.length === 0
    ? content
    : [
        ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
        ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
      ];

/** Changes one answer. A finished answer only changes its receipt's figures, which arrive later. */
export function changeAnswer(
  messages: readonly Message[],
  id: number,
  change: Partial<Answer>,
): readonly Message[] {
  return messages.map((message) => {
    if (message.id !== id || message.role !== 'assistant') return message;
    if (message.status === 'loading' || message.status === 'incomplete') return { ...message, ...change };
    const { cost = message.cost, usage = message.usage } = change;
    return { ...message, cost, usage };
  });
}

/** Answers that were running when the page was closed are complete as far as they arrived. */
export const settled = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message) =>
    message.role === 'assistant' && (message.status === 'loading' || message.status === 'incomplete')
      ? { ...message, status: 'complete', stopped: true }
      : message,
  );

/** Drops the oldest images until the rest fits into `room` characters: browsers store only a few megabytes. */
export function dropOldImages(messages: readonly Message[], room: number): readonly Message[] {
  const size = (message: Message) =>
    message.role === 'user' ? message.images.reduce((sum, image) => sum + image.length, 0) : 0;
  let excess = messages.reduce((sum, message) => sum + size(message), 0) - room;
  return messages.map((message) => {
    if (excess <= 0 || message.role !== 'user' || message.images.length === 0) return message;
    excess -= size(message);
    return { ...message, images: [], lostImages: message.lostImages + message.images.length };
  });
}

/** Quota units of all answers whose cost is known. */
export const costOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (message.role === 'assistant' ? (message.cost ?? 0) : 0), 0);

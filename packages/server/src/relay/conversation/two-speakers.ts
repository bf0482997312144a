import type { Message } from '../types/index.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A conversation as protocols write it that know only two speakers. */
export interface Turns {
  /** Blocks of the instructions, wherever they stood. */
  system: JsonObject[];
  /** In turns of user and assistant, beginning with the user, who may have said nothing. */
  turns: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/**
 * Gathers messages into turns: what one side said in several messages, results of tools included, is one turn of it.
 */
export function gatherTurns(messages: readonly Message[], write: (message: Message) => JsonObject[]): Turns {
  const gathered: Turns = { system: [], turns: [] };
  const { system, turns } = gathered;
  for (const message of messages) {
    const content = write(message);
    if (message.role === 'system' || message.role === 'developer') {
      for (const block of content) system.push(block);
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) for (const block of content) last.content.push(block);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [] });
  return gathered;
}

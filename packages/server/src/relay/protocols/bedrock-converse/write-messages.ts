import type { Message, RequestContext } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { gatherTurns } from '../../conversation/index.ts';
import { MediaWriter } from './write-media.ts';
import { noWords, PartWriter } from './write-part.ts';

interface Written {
  /** Blocks of the instructions, wherever they stood. */
  system: JsonObject[];
  messages: JsonObject[];
}

/** The messages in turns of user and assistant, beginning with the user, and the instructions apart. */
export function writeMessages(messages: readonly Message[], context: RequestContext): Written {
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

/** Results of tools come first in their turn. */
function ordered(role: string, content: JsonObject[]): JsonObject[] {
  if (role === 'assistant') return content;
  const isResult = ({ toolResult }: JsonObject): boolean => toolResult !== undefined;
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** A turn has words; documents alone are refused. */
function complete(content: JsonObject[]): JsonObject[] {
  if (content.length === 0) return [noWords];
  const hasDocument = content.some(({ document }) => document !== undefined);
  return hasDocument && !content.some(({ text }) => text !== undefined) ? [...content, noWords] : content;
}

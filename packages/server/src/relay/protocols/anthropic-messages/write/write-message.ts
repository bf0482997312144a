import type { Message, RequestContext } from '../../../types/index.ts';
import { isObject, type JsonObject, textOf } from '../../../../lib/json.ts';
import { gatherTurns } from '../../../conversation/index.ts';
import { writePart } from './write-part.ts';

interface Written {
  /** Blocks of the instructions, from any position: older models accept system messages only at the start. */
  system: JsonObject[];
  messages: JsonObject[];
}

/** Replaces an empty text, which the vendor refuses (docs/compatibility.md#conversions). */
const nothing: JsonObject = { type: 'text', text: '...' };

/** The messages in turns of user and assistant, in the vendor's form, and the instructions separately. */
export function writeMessages(messages: readonly Message[], context: RequestContext): Written {
  const { system, turns } = gatherTurns(messages, (message) =>
    message.parts.flatMap((part) => writePart(part, context)),
  );
  trimLast(turns.at(-1));
  return {
    system,
    messages: turns.map(({ role, content }) => ({ role, content: shorten(ordered(role, content)) })),
  };
}

/** Results of tools are first in their turn, because the vendor does not find them otherwise. */
function ordered(role: string, content: JsonObject[]): JsonObject[] {
  if (content.length === 0) return [nothing];
  if (role === 'assistant') return content;
  const isResult = ({ type }: JsonObject): boolean => type === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** A single plain text is written as the text itself, as most callers do. */
function shorten(content: JsonObject[]): string | JsonObject[] {
  const [first, second] = content;
  const isPlain = !second && first?.type === 'text' && Object.keys(first).length === 2;
  return isPlain ? textOf(first.text) : content;
}

/** The beginning of an answer that the model continues must not end in blanks. */
function trimLast(turn: { role: string; content: JsonObject[] } | undefined): void {
  const last = turn?.role === 'assistant' ? turn.content.at(-1) : undefined;
  if (turn && isObject(last) && last.type === 'text') {
    const text = textOf(last.text).trimEnd();
    if (text === '') turn.content.pop();
    else turn.content[turn.content.length - 1] = { ...last, text };
  }
}

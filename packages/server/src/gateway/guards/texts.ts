import { isObject, type Json, type JsonObject, parseObject } from '../../lib/json.ts';
import { SseScanner } from '../../lib/sse/index.ts';
import type { ChatEvent } from '../../relay/types/index.ts';

/** A text of a request or an answer that a hook reads and may replace. */
export interface TextSlot {
  text: string;
  replace(text: string): void;
}

/** Members of a request that hold what the model reads. */
const spoken: ReadonlySet<string> = new Set(
  (
    'messages prompt input instructions system query documents suffix contents content requests ' +
    'systemInstruction system_instruction negative_prompt gpt_description_prompt'
  ).split(' '),
);
/** Members with a text, in requests and answers of all protocols. */
const named: ReadonlySet<string> = new Set(
  (
    'content text input prompt instructions system query documents suffix output arguments thinking ' +
    'reasoning reasoning_content refusal transcript negative_prompt gpt_description_prompt'
  ).split(' '),
);
/** Objects in which every text counts: arguments and results of tools. */
const free: ReadonlySet<string> = new Set(['args', 'response']);
const maxDepth = 200;

/** The texts of a request, in their order. Replacing one changes `json`. */
export const requestTexts = (json: JsonObject): TextSlot[] => {
  const slots: TextSlot[] = [];
  for (const name of Object.keys(json)) if (spoken.has(name)) collect(slots, json, name, name, false, 0);
  return slots;
};

/** The texts of a whole answer, in their order. Replacing one changes `json`. */
export function answerTexts(json: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const name of Object.keys(json)) collect(slots, json, name, name, false, 0);
  return slots;
}

function collect(
  slots: TextSlot[],
  parent: JsonObject | Json[],
  key: string | number,
  name: string,
  isFree: boolean,
  depth: number,
): void {
  const holder = parent as Record<string | number, Json>;
  const value = holder[key];
  if (typeof value === 'string') {
    if (value === '' || !(isFree || named.has(name))) return;
    slots.push({ text: value, replace: (text) => void (holder[key] = text) });
  } else if (Array.isArray(value)) {
    for (const [index] of value.entries())
      if (depth < maxDepth) collect(slots, value, index, name, isFree, depth + 1);
  } else if (isObject(value) && depth < maxDepth) {
    for (const member of Object.keys(value)) {
      const isArguments = free.has(member) || (member === 'input' && value['type'] === 'tool_use');
      collect(slots, value, member, member, isFree || isArguments, depth + 1);
    }
  }
}

/** The texts of events as they are sent; they cannot be replaced. */
export function streamTexts(bytes: Buffer, onReplaced: () => void): TextSlot[] {
  const scanner = new SseScanner();
  return [...scanner.push(bytes), ...scanner.end()].flatMap(({ data }) =>
    answerTexts(parseObject(data) ?? {}).map(({ text }) => ({ text, replace: onReplaced })),
  );
}

/** Length of the text of an event, in characters. */
export const lengthOf = (event: ChatEvent): number => ('text' in event ? event.text.length : 0);

/**
 * The texts of a part of a stream, one for each block in it. A replaced text is in the first piece of its block; the others
 * become empty. An event that is only shown as JSON is left out if it is replaced.
 */
export function eventTexts(events: ChatEvent[]): TextSlot[] {
  const blocks = new Map<string, Extract<ChatEvent, { text: string }>[]>();
  const slots: TextSlot[] = [];
  for (const event of events) {
    if ('text' in event) {
      const id = `${event.type} ${event.choice} ${event.block}`;
      const pieces = blocks.get(id);
      if (pieces) pieces.push(event);
      else blocks.set(id, [event]);
    } else {
      const text = shownText(event);
      if (text !== '') slots.push({ text, replace: () => void events.splice(events.indexOf(event), 1) });
    }
  }
  for (const pieces of blocks.values()) {
    const text = pieces.map((piece) => piece.text).join('');
    if (text === '') continue;
    slots.push({
      text,
      replace: (by) => {
        for (const [index, piece] of pieces.entries()) {
          piece.text = index === 0 ? by : '';
          if ('logprobs' in piece) delete piece.logprobs;
        }
      },
    });
  }
  return slots;
}

/** The text of an event that has it in a vendor's form. */
function shownText(event: ChatEvent): string {
  if (event.type === 'tool-input-start') return event.name;
  if (event.type === 'annotation') return JSON.stringify(event.citation);
  if (event.type === 'file') return event.transcript ?? '';
  return event.type === 'other' ? JSON.stringify(event.extra) : '';
}

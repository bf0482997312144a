import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** The words of a message's content, whatever its form. */
function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => {
      if (!isObject(part)) return typeof part === 'string' ? part : '';
      if (typeof part.text === 'string') return part.text;
      return typeof part.type === 'string' ? `[${part.type}]` : '';
    })
    .join(' ');
}

export interface Conversation {
  /** What the user said last. */
  question: string;
  /** The result of a tool, when that is what came last. */
  toolResult: string | undefined;
  /** Input tokens, counted the sandbox's way. */
  tokens: number;
}

/** Reads a chat. */
export function readChat(body: JsonObject): Conversation {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject);
  const words = messages.map((message) => contentText(message.content));
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const last = messages.at(-1);
  const tools = Array.isArray(body.tools) ? JSON.stringify(body.tools) : '';
  return {
    question: words[asked] ?? '',
    toolResult: last?.role === 'tool' ? (words.at(-1) ?? '') : undefined,
    tokens: words.reduce((sum, text) => sum + countTokens(text) + 4, 3) + countTokens(tools),
  };
}

/** The text of `prompt` or `input`: a text, texts, or tokens. */
export function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [''];
  if (value.every((entry) => typeof entry === 'number')) return [value.join(' ')];
  return value.map((entry) =>
    Array.isArray(entry)
      ? entry.filter((token) => typeof token === 'number').join(' ')
      : contentText([entry]),
  );
}

/** Characters of a long text that are looked at: more would hold up other callers. */
const maxCounted = 100_000;

/** The sandbox's tokens: a word with the blank before it, or a single sign. A rule anyone can check by hand. */
export const pieces = (text: string): string[] =>
  text.slice(0, maxCounted).match(/\s*[\p{L}\p{N}]+|\s*[^\s]|\s+$/gu) ?? [];

/** Tokens of a text; a long one has as many for each character as its beginning. */
export const countTokens = (text: string): number =>
  Math.ceil(pieces(text).length * Math.max(1, text.length / maxCounted));

/** What the sandbox answers: the same words for the same question, always. */
export function answerText({ question, toolResult }: Conversation): string {
  if (toolResult !== undefined) return `The tool said: ${toolResult}`;
  const asked = question.trim();
  if (asked === '') return 'This is the sandbox. You asked nothing, so here is an answer to nothing.';
  return `This is the sandbox, not a model. You wrote ${countTokens(asked)} tokens: "${asked}"`;
}

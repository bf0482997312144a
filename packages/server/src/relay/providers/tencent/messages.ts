import { cannotTranslate } from '../../conversation/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

/**
 * The messages of a chat in Hunyuan's format and order: instructions first, user and assistant alternate from the
 * user's on, and only tools may answer in a row; other orders are refused. Throws RelayError (400, `cannot_translate`) for content without
 * an equivalent.
 */
export function writeMessages(messages: Json | undefined): JsonObject[] {
  const written = objectsIn(messages).map(writeMessage);
  const isInstruction = ({ Role }: JsonObject): boolean => Role === 'system';
  const ordered = [...written.filter(isInstruction), ...written.filter((message) => !isInstruction(message))];
  const turns: JsonObject[][] = [];
  for (const message of ordered) {
    const last = turns.at(-1);
    if (message.Role === 'assistant' && (!last || isInstruction(last[0]!)))
      turns.push([{ Role: 'user', Content: '...' }]);
    if (last && isSameTurn(last[0]!, message)) last.push(message);
    else turns.push([message]);
  }
  return turns.map((turn) => withWords(joined(turn)));
}

/** A user message right after a tool's answer is joined to it. */
const isSameTurn = ({ Role: before }: JsonObject, { Role: role }: JsonObject): boolean =>
  role !== 'tool' && (role === before || (role === 'user' && before === 'tool'));

/** Consecutive messages of one side, as one message. */
function joined(turn: readonly JsonObject[]): JsonObject {
  const [first = {}] = turn;
  if (turn.length === 1) return first;
  const calls = turn.flatMap(({ ToolCalls }) => objectsIn(ToolCalls));
  const { Content: _text, Contents: _parts, ...rest } = first;
  return { ...rest, ...writeContents(turn), ...(calls.length > 0 && { ToolCalls: calls }) };
}

function writeContents(turn: readonly JsonObject[]): JsonObject {
  if (turn.every(({ Contents: parts }) => parts === undefined)) {
    const texts = turn.map(({ Content: text }) => textOf(text)).filter((text) => text !== '');
    return { Content: texts.join('\n\n') };
  }
  // Results of tools are text only.
  if (turn[0]?.Role === 'tool') throw cannotTranslate('image_url', 'openai-chat');
  return { Contents: turn.flatMap(partsOf) };
}

const partsOf = ({ Content: text, Contents: parts }: JsonObject): JsonObject[] =>
  parts === undefined ? [{ Type: 'text', Text: textOf(text) }] : objectsIn(parts);

/** This API refuses a message without text. */
const withWords = (message: JsonObject): JsonObject =>
  message.Content === '' && message.ToolCalls === undefined ? { ...message, Content: ' ' } : message;

/** Without its reasoning: a request with reasoning is refused. */
function writeMessage(message: JsonObject): JsonObject {
  const role = message.role === 'developer' ? 'system' : textOf(message.role);
  const calls = objectsIn(message.tool_calls).map(writeCall);
  return {
    Role: role,
    ...contentOf(message.content),
    ...(role === 'tool' && { ToolCallId: textOf(message.tool_call_id) }),
    ...(calls.length > 0 && { ToolCalls: calls }),
  };
}

/** Messages with only texts become one text; with images they are a list. */
function contentOf(content: Json | undefined): JsonObject {
  if (!Array.isArray(content)) return { Content: textOf(content) };
  const parts = objectsIn(content);
  if (parts.every(({ type }) => type === 'text')) {
    return { Content: parts.map(({ text }) => textOf(text)).join('\n') };
  }
  return { Contents: parts.map(writePart) };
}

function writePart(part: JsonObject): JsonObject {
  if (part.type === 'text') return { Type: 'text', Text: textOf(part.text) };
  const { image_url: image } = part;
  if (part.type !== 'image_url') throw cannotTranslate(textOf(part.type), 'openai-chat');
  return { Type: 'image_url', ImageUrl: { Url: textOf(image) || textOf(objectOf(image).url) } };
}

const writeCall = (call: JsonObject): JsonObject => {
  const { name, arguments: input } = objectOf(call.function);
  return {
    Id: textOf(call.id),
    Type: 'function',
    Function: { Name: textOf(name), Arguments: textOf(input) },
  };
};

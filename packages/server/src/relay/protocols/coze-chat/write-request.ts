import { product } from '@tollgate/contract';
import { untranslatable } from '@tollgate/contract/relay-errors';
import type { ChatRequest, Extra, Message, RequestContext } from '../../types/index.ts';
import {
  type FilePart,
  cannotTranslate,
  ownFields,
  dropModelOptions,
  messageAsText,
} from '../../conversation/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';

const own = 'coze-chat';

/** End user if the caller names none: Coze requires one. */
const anonymousUser = product.id;
/** Coze's maximum of messages. */
const maxMessages = 100;

/**
 * Writes a request as a chat with a Coze bot (`POST /v3/chat`), always as a stream: a whole answer is gathered from it.
 * Nothing is stored at Coze. The bot itself is set in the channel.
 */
export function writeCozeRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const json = dropModelOptions(request, own, context);
  return {
    user_id: request.user ?? anonymousUser,
    stream: true,
    auto_save_history: false,
    ...readVariables(request.extra, context),
    additional_messages: writeMessages(request.messages, json, context),
  };
}

/** Variables of the bot, which a caller may send beside its own protocol's fields. */
function readVariables(extra: Extra | undefined, context: RequestContext): JsonObject {
  if (!extra) return {};
  const { custom_variables: variables, conversation_id: conversation, ...fields } = extra.fields;
  if (conversation !== undefined && conversation !== '') {
    throw cannotTranslate(untranslatable.coze_conversation, own);
  }
  ownFields({ ...extra, fields }, own, context);
  return isObject(variables) ? { custom_variables: variables } : {};
}

const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/**
 * The conversation, instructions first: Coze has no role for them, so they are a user message under a heading. The
 * oldest turns of a long conversation are omitted.
 */
function writeMessages(messages: readonly Message[], json: string, context: RequestContext): JsonObject[] {
  const instructions = messages.filter(isInstruction).map((message) => writeMessage(message, context));
  if (json !== '') instructions.push({ words: json, files: [] });
  const words = instructions.map((each) => each.words).join('\n');
  const files = instructions.flatMap((each) => each.files);
  const first = words === '' && files.length === 0 ? [] : [question(`SYSTEM: \n${words}`, files)];
  const turns = messages
    .filter((message) => !isInstruction(message))
    .map((message) => writeTurn(message, context));
  const room = maxMessages - first.length;
  if (turns.length > room) context.drop('messages');
  return [...first, ...turns.slice(-room)];
}

function writeMessage(message: Message, context: RequestContext): { words: string; files: JsonObject[] } {
  if (message.name !== undefined) context.drop('name');
  const files: JsonObject[] = [];
  const take = (part: FilePart): void => void files.push(writeFile(part));
  return { words: messageAsText(message, { own, context, take }), files };
}

function writeTurn(message: Message, context: RequestContext): JsonObject {
  const { words, files } = writeMessage(message, context);
  if (message.role !== 'assistant') return question(words, files);
  return { role: 'assistant', type: 'answer', content: words, content_type: 'text' };
}

/** Only text is the content itself; with files it is a list, as JSON in a text. */
function question(words: string, files: readonly JsonObject[]): JsonObject {
  const role = { role: 'user', type: 'question' };
  if (files.length === 0) return { ...role, content: words, content_type: 'text' };
  const text = words === '' ? [] : [{ type: 'text', text: words }];
  return { ...role, content: JSON.stringify([...text, ...files]), content_type: 'object_string' };
}

function writeFile(part: FilePart): JsonObject {
  const { type, source } = part;
  if (source.kind === 'id') throw cannotTranslate(untranslatable.foreign_file, own);
  if (source.kind === 'url') return { type, file_url: source.url };
  const { mediaType, base64 } = source;
  return {
    type,
    data: { mediaType, base64, ...(part.type === 'file' && part.name !== undefined && { name: part.name }) },
  };
}

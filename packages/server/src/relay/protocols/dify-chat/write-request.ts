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

const own = 'dify-chat';

/** End user if the caller names none: Dify requires one. */
const anonymousUser = product.id;

const headings = {
  system: 'SYSTEM',
  developer: 'SYSTEM',
  user: 'USER',
  assistant: 'ASSISTANT',
  tool: 'USER',
};

/**
 * Writes a request as a message to a Dify application (`POST /v1/chat-messages`). It is one text with the whole
 * conversation, each message under the heading of its role (docs/protocols/applications.md). Files as data stay in the body:
 * `uploadFiles` uploads them before the call.
 */
export function writeDifyRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const files: JsonObject[] = [];
  const take = (part: FilePart): void => void files.push(writeFile(part));
  const turns = request.messages.map((message) => ({
    role: headings[message.role],
    words: messageAsText(withoutName(message, context), { own, context, take }),
  }));
  const json = dropModelOptions(request, own, context);
  if (json !== '') turns.unshift({ role: headings.system, words: json });
  return {
    inputs: readInputs(request.extra, context),
    query: turns.map(({ role, words }) => `${role}: \n${words}\n`).join(''),
    response_mode: request.stream ? 'streaming' : 'blocking',
    user: request.user ?? anonymousUser,
    // Otherwise Dify calls a model for the title of the conversation.
    auto_generate_name: false,
    ...(files.length > 0 && { files }),
  };
}

function withoutName(message: Message, { drop }: RequestContext): Message {
  if (message.name !== undefined) drop('name');
  return message;
}

/** Variables of the application, which a caller may send beside its own protocol's fields. */
function readInputs(extra: Extra | undefined, context: RequestContext): JsonObject {
  if (!extra) return {};
  const { inputs, conversation_id: conversation, ...fields } = extra.fields;
  if (conversation !== undefined && conversation !== '') {
    throw cannotTranslate(untranslatable.dify_conversation, own);
  }
  ownFields({ ...extra, fields }, own, context);
  return isObject(inputs) ? inputs : {};
}

const kinds = { image: 'image', audio: 'audio', file: 'document' } as const;

function writeFile(part: FilePart): JsonObject {
  const { source } = part;
  const type = kinds[part.type];
  if (source.kind === 'id') throw cannotTranslate(untranslatable.foreign_file, own);
  if (source.kind === 'url') return { type, transfer_method: 'remote_url', url: source.url };
  const { mediaType, base64 } = source;
  return {
    type,
    transfer_method: 'local_file',
    data: { mediaType, base64, ...(part.type === 'file' && part.name !== undefined && { name: part.name }) },
  };
}

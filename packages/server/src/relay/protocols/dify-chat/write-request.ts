import type { ChatRequest, Extra, Message } from '../../model/chat.ts';
import type { RequestContext } from '../../model/codec.ts';
import type { FilePart } from '../../model/files.ts';
import { cannotTranslate, ownFields } from '../../model/foreign.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { dropModelWishes, tellMessage } from '../../model/tell-parts.ts';

const own = 'dify-chat';

/** Who asks, where the caller does not name its end user: Dify takes no message from nobody. */
const nobody = 'tollgate';

const headings = {
  system: 'SYSTEM',
  developer: 'SYSTEM',
  user: 'USER',
  assistant: 'ASSISTANT',
  tool: 'USER',
};

/**
 * Writes a request as a message to a Dify application (`POST /v1/chat-messages`). It has room for one text, so the
 * whole conversation stands in it, each message under the heading of its role (wire-facts 4.1). Files that come as
 * data are left in the body as they are: `uploadFiles` hands them in before the call.
 */
export function writeDifyRequest(request: ChatRequest, context: RequestContext): JsonObject {
  const files: JsonObject[] = [];
  const take = (part: FilePart): void => void files.push(writeFile(part));
  const told = request.messages.map((message) => ({
    role: headings[message.role],
    words: tellMessage(withoutName(message, context), { own, context, take }),
  }));
  const json = dropModelWishes(request, own, context);
  if (json !== '') told.unshift({ role: headings.system, words: json });
  return {
    inputs: readInputs(request.extra, context),
    query: told.map(({ role, words }) => `${role}: \n${words}\n`).join(''),
    response_mode: request.stream ? 'streaming' : 'blocking',
    user: request.user ?? nobody,
    // Dify would have a model think up a title for a conversation that nobody will ever open.
    auto_generate_name: false,
    ...(files.length > 0 && { files }),
  };
}

function withoutName(message: Message, { drop }: RequestContext): Message {
  if (message.name !== undefined) drop('name');
  return message;
}

/** Variables of the application, which a caller may name beside its own language's fields. */
function readInputs(extra: Extra | undefined, context: RequestContext): JsonObject {
  if (!extra) return {};
  const { inputs, conversation_id: conversation, ...fields } = extra.fields;
  if (conversation !== undefined && conversation !== '') {
    throw cannotTranslate('a conversation that Dify keeps', own);
  }
  ownFields({ ...extra, fields }, own, context);
  return isObject(inputs) ? inputs : {};
}

const kinds = { image: 'image', audio: 'audio', file: 'document' } as const;

function writeFile(part: FilePart): JsonObject {
  const { source } = part;
  const type = kinds[part.type];
  if (source.kind === 'id') throw cannotTranslate('a file that another vendor keeps', own);
  if (source.kind === 'url') return { type, transfer_method: 'remote_url', url: source.url };
  const { mediaType, base64 } = source;
  return {
    type,
    transfer_method: 'local_file',
    data: { mediaType, base64, ...(part.type === 'file' && part.name !== undefined && { name: part.name }) },
  };
}

import { mayCostMore, type SearchKind, searchKindOf, searchSizes } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import {
  writeOpenaiError,
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
  addImage,
  conversationSize,
  type MediaSize,
  noMedia,
} from '../../families/openai/index.ts';
import { hostedOffers, isSearchOfResponses, isSearchOptional, toolUses } from '../../conversation/index.ts';
import { isClientSearch } from './namespaces.ts';
import { type BodySizes, type Inbound, type RequestFacts, type RelayError } from '../../types/index.ts';
import { addResponsesUsage, drawnTokens, imageTool, newSession } from './usage.ts';

const no = refuser('invalid_responses_request');

/** Assumed tokens of a file (docs/compatibility.md#token-counting); a high number, because it is for holds. */
const fileTokens = 5_000;

/** Fields that contain a conversation, beside or instead of `input`. */
const otherInputs = ['prompt', 'previous_response_id', 'conversation'] as const;

/** Reads the facts of a request. Other fields are passed to the vendor. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  checkInput(body);
  const continued = continuedIds(body);
  const { stream } = streamOptionsOf(body, no);
  const media = mediaSize(body.input, model);
  media.isOpen ||= otherInputs.some((field) => body[field] !== undefined && body[field] !== null);
  const searchKind = searchKindIn(body.tools);
  const hostedTools = offered(body);
  return {
    model,
    stream,
    // A response always reports its usage.
    wantsStreamUsage: stream,
    maxOutputTokens: tokenBound(body, 'max_output_tokens', no),
    ...conversationSize(sizes, media),
    choices: 1,
    ...(searchKind && { searchKind }),
    ...(hostedTools && { hostedTools }),
    ...toolUses(model, hostedTools),
    ...(mayCostMore(body.service_tier) && { mayCostMore: true }),
    ...(body.background === true && { inBackground: true }),
    ...continued,
  };
}

/** The vendor's tools, with the limit of their calls, and the cost of an image of one of them. */
function offered(body: JsonObject): RequestFacts['hostedTools'] {
  const isOptional = isSearchOptional(body);
  const { tools, max_tool_calls: most } = body;
  const imageTokens = drawnTokens(tools);
  return hostedOffers('openai-responses', typesOf(tools), (type) => ({
    ...(isOptional && isSearchOfResponses(type) && { isOptional: true }),
    ...(typeof most === 'number' && { mostUses: most }),
    ...(type === imageTool && { imageTokens }),
    ...sessionOf(tools, type),
  }));
}

/** The container that an answer makes for a tool. */
function sessionOf(tools: Json | undefined, type: string): { containers?: number } {
  const containers = newSession(tools, type);
  return containers === undefined ? {} : { containers };
}

/** Tools that are not the caller's functions. Free-text tools are functions in other protocols. */
const typesOf = (tools: Json | undefined): string[] =>
  objectsIn(tools)
    .filter((tool) => !isClientSearch(tool))
    .map(({ type }) => textOf(type))
    .filter((type) => type !== 'function' && type !== 'custom' && type !== 'namespace');

/** The web search tool, under any of its names (`web_search`, `web_search_preview`, dated ones). */
function searchKindIn(tools: Json | undefined): SearchKind | undefined {
  const tool = objectsIn(tools).find(({ type }) => textOf(type).startsWith('web_search'));
  const size = searchSizes.find((each) => each === tool?.search_context_size);
  return tool && searchKindOf(textOf(tool.type), size);
}

/** Ids of the continued response, and of the conversation; both are at one vendor. */
function continuedIds({
  previous_response_id: previous,
  conversation,
}: JsonObject): Pick<RequestFacts, 'previousResponse' | 'conversation'> {
  const id = isObject(conversation) ? conversation.id : conversation;
  if (id !== undefined && id !== null && typeof id !== 'string')
    return no('field_not_text', { field: 'conversation' });
  if (previous !== undefined && previous !== null && typeof previous !== 'string')
    return no('field_not_text', { field: 'previous_response_id' });
  return {
    ...(typeof previous === 'string' && { previousResponse: previous }),
    ...(typeof id === 'string' && { conversation: id }),
  };
}

function checkInput({ input, ...body }: JsonObject): void {
  if (input === undefined || input === null) {
    if (otherInputs.every((field) => body[field] === undefined || body[field] === null)) {
      no('field_required', { field: 'input' });
    }
    return;
  }
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) no('input_malformed');
  else if (!input.every((item) => isObject(item))) no('input_item_not_object');
}

/** Characters of base64 in the items, and the assumed tokens of their images and files. */
function mediaSize(input: Json | undefined, model: string): MediaSize {
  const size = noMedia();
  for (const item of objectsIn(input)) {
    for (const part of [...objectsIn(item.content), ...objectsIn(item.output)]) addPart(size, part, model);
  }
  return size;
}

function addPart(size: MediaSize, part: JsonObject, model: string): void {
  const url = textOf(part.image_url);
  const data = textOf(part.file_data);
  if (part.type === 'input_image') {
    addImage(size, { url, detail: textOf(part.detail) }, model);
    size.binaryLength += url.startsWith('data:') ? url.length : 0;
  } else if (part.type === 'input_file') {
    size.tokens += fileTokens;
    size.binaryLength += data.length;
    size.isOpen = true;
  }
}

/** An error in mid-stream, in the two forms that clients look for: its fields in the event, and in `error`. */
function writeStreamError(error: RelayError, requestId: string, before?: Buffer): Buffer {
  const message = `${error.message} (request id: ${requestId})`;
  const fields = { type: error.type, code: error.code, message, param: error.param, ...error.original };
  const event = {
    type: 'error',
    code: fields.code,
    message: fields.message,
    param: fields.param,
    error: fields,
  };
  return Buffer.from(
    `event: error\ndata: ${JSON.stringify({ ...event, sequence_number: nextNumber(before) })}\n\n`,
  );
}

const numberKey = '"sequence_number":';

/** The number after that of the last event. A text of the model's cannot contain the key: its quotes are escaped. */
function nextNumber(before: Buffer | undefined): number {
  const at = before?.lastIndexOf(numberKey) ?? -1;
  if (!before || at < 0) return 0;
  const digits = /^\s*(\d{1,15})/.exec(
    before.toString('latin1', at + numberKey.length, at + numberKey.length + 20),
  );
  return digits ? Number(digits[1]) + 1 : 0;
}

export const responsesInbound: Inbound = {
  id: 'openai-responses',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError,
  addUsage: addResponsesUsage,
  ping: Buffer.from(': PING\n\n'),
};

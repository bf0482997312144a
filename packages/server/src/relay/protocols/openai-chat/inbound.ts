import { mayCostMore, searchSizes } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { cacheMarks, hostedOffers, toolUses } from '../../conversation/index.ts';
import { askedImageTokens, googleImageTokens } from '../../families/google/index.ts';
import {
  addOpenaiUsage,
  choicesOf,
  conversationSize,
  maxImageTokens,
  mediaSize,
  namesEnd,
  refuser,
  requiredText,
  secondsOfFile,
  secondsOfSound,
  streamOptionsOf,
  tokenBound,
  usageIn,
  writeOpenaiError,
  writeOpenaiStreamError,
} from '../../families/openai/index.ts';
import type { TextReader, TextSink } from '../../streams/index.ts';
import type {
  BodySizes,
  DeliveredMedia,
  Inbound,
  MediaMaker,
  MediaRule,
  RequestFacts,
} from '../../types/index.ts';

const no = refuser('invalid_text_request');

/** The fields of a chat that request a web search: of OpenAI, xAI, DashScope and OpenRouter. */
export const searchFields = (body: JsonObject): string[] =>
  [
    isObject(body.web_search_options) ? 'web_search_options' : '',
    isObject(body.search_parameters) && body.search_parameters.mode !== 'off' ? 'search_parameters' : '',
    body.enable_search === true ? 'enable_search' : '',
    objectsIn(body.plugins).some(({ id }) => id === 'web') ? 'plugins' : '',
  ].filter((name) => name !== '');

/** The hosted tools of a chat. */
const hostedTypes = (body: JsonObject): string[] => [
  ...objectsIn(body.tools).flatMap((tool) => (isObject(tool.function) ? [] : [textOf(tool.type)])),
  ...searchFields(body),
];

/** Reads the facts of a chat request. Other fields are passed to the vendor. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const { messages, web_search_options: search } = body;
  const model = requiredText(body, 'model', no);
  if (!Array.isArray(messages) || messages.length === 0) return no('field_required', { field: 'messages' });
  for (const message of messages) {
    if (!isObject(message) || typeof message.role !== 'string') return no('message_without_role');
  }
  const size = isObject(search) ? (search.search_context_size ?? undefined) : undefined;
  const searchSize = searchSizes.find((each) => each === size);
  if (size !== searchSize)
    return no('field_not_choice', { field: 'search_context_size', choices: 'high, medium, low' });
  const media = mediaSize(messages, model);
  const hostedTools = hostedOffers('openai-chat', hostedTypes(body));
  return {
    model,
    ...streamOptionsOf(body, no),
    maxOutputTokens: Math.max(
      tokenBound(body, 'max_tokens', no),
      tokenBound(body, 'max_completion_tokens', no),
    ),
    ...conversationSize(sizes, media),
    choices: choicesOf(body, 'n', no),
    ...(searchSize && { searchKind: searchSize }),
    ...(hostedTools && { hostedTools }),
    ...toolUses(model, hostedTools, imageTokensAsked(body)),
    ...functionsOf(body),
    ...cacheMarks({ cache_control: body.cache_control ?? null }, body.tools, messages),
    ...(mayCostMore(body.service_tier) && { mayCostMore: true }),
  };
}

/** Output tokens of the image that is requested within the text. */
const imageTokensAsked = ({ modalities, image_config: config }: JsonObject): number =>
  Array.isArray(modalities) && modalities.includes('image')
    ? askedImageTokens(textOf(objectOf(config).image_size))
    : 0;

/** Functions, under their current or older name, and the effort beside them. */
function functionsOf(body: JsonObject): Pick<RequestFacts, 'functions'> {
  const isOffered =
    objectsIn(body.tools).some(({ type }) => type === 'function') || Array.isArray(body.functions);
  if (!isOffered) return {};
  const effort = body.reasoning_effort ?? objectOf(body.reasoning).effort;
  return { functions: effort === 'none' ? { thinks: false } : {} };
}

export const openaiChatInbound: Inbound = {
  id: 'openai-chat',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError: writeOpenaiStreamError,
  addUsage: addOpenaiUsage,
  ping: Buffer.from(': PING\n\n'),
};

/**
 * Takes the text out of the answers to a request: chunks (`delta`) or a whole one (`message`), in the form of every
 * vendor.
 */
export const readChatText =
  (asked: JsonObject): TextReader =>
  (body, sink) =>
    readBody(body, asked, sink);

function readBody(body: JsonObject, asked: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  if (!Array.isArray(body.choices)) return;
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    // Perplexity repeats the whole message beside each delta.
    const message = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(message)) {
      readMessage(message, sink);
      const by = { asked, model: textOf(body.model) };
      for (const made of mediaIn(message, by, message !== choice.delta)) sink.media(made);
    }
    if (namesEnd(choice.finish_reason)) sink.finish();
  }
}

function readMessage(message: JsonObject, sink: TextSink): void {
  readContent(message.content, sink);
  sink.output(textOf(message.refusal));
  // Some vendors send the same reasoning under both names.
  const thoughts = textOf(message.reasoning_content) || textOf(message.reasoning);
  sink.reasoning(thoughts || listedThoughts(message.reasoning_details));
  if (isObject(message.audio)) sink.output(textOf(message.audio.transcript));
  if (isObject(message.function_call)) readCall(message.function_call, sink);
  if (!Array.isArray(message.tool_calls)) return;
  for (const call of message.tool_calls) {
    if (isObject(call) && isObject(call.function)) readCall(call.function, sink);
  }
}

function readCall(call: JsonObject, sink: TextSink): void {
  if (textOf(call.name) !== '') sink.toolCall();
  sink.output(textOf(call.name));
  sink.output(textOf(call.arguments));
}

/** A text, or a list of parts: Mistral's reasoning is among them. */
function readContent(content: Json | undefined, sink: TextSink): void {
  if (!Array.isArray(content)) return sink.output(textOf(content));
  for (const part of content) {
    if (!isObject(part)) continue;
    sink.output(textOf(part.text));
    sink.reasoning(thinkingText(part.thinking));
  }
}

/** Mistral's reasoning: a text or a list of text parts. */
export function thinkingText(thinking: Json | undefined): string {
  if (!Array.isArray(thinking)) return textOf(thinking);
  return thinking.map((part) => (isObject(part) ? textOf(part.text) : '')).join('');
}

/** Reasoning of vendors that send it only in a list; an entry with a signature repeats earlier pieces. */
function listedThoughts(details: Json | undefined): string {
  if (!Array.isArray(details)) return '';
  return details
    .map((detail) => (isObject(detail) && detail.signature === undefined ? textOf(detail.text) : ''))
    .join('');
}

/** Parts of the keys of images and sound in a message: short, with rare first letters. */
const marks = ['udio"', 'mages"'].map((mark) => Buffer.from(mark));

/** Images and sound of a message, or of a piece of one. OpenAI streams sound only as samples (`pcm16`). */
function mediaIn(
  message: JsonObject,
  { asked, model }: MediaMaker,
  isWhole: boolean,
): Partial<DeliveredMedia>[] {
  const sound = isObject(message.audio) ? textOf(message.audio.data) : '';
  return [
    ...(sound === '' ? [] : [soundOf(sound, asked, isWhole)]),
    ...objectsIn(message.images).map((image) => imageOf(textOf(objectOf(image.image_url).url), model)),
  ];
}

function soundOf(base64: string, asked: JsonObject, isWhole: boolean): Partial<DeliveredMedia> {
  const format = formatIn(asked.audio);
  return { soundSeconds: isWhole ? secondsOfFile(base64, format) : secondsOfSound(base64, format) };
}

const formatIn = (audio: Json | undefined): string => textOf(objectOf(audio).format);

/**
 * Gateways send the images of other vendors in this form: for an unknown vendor the table with the largest numbers is
 * used.
 */
function imageOf(url: string, model: string): Partial<DeliveredMedia> {
  const base64 = url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : '';
  return { imageTokens: /gemini/i.test(model) ? googleImageTokens(base64) : maxImageTokens(base64) };
}

/** The media of this protocol's answers. */
export const chatMedia: MediaRule = {
  marks,
  measure({ source }, { asked, model }) {
    if (source.kind === 'url') return imageOf(source.url, model);
    return source.kind === 'data' && source.base64 !== '' ? soundOf(source.base64, asked, false) : {};
  },
};

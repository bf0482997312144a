import type { CountTexts, Encoding } from '../lib/token-count/token-counter.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../lib/json.ts';
import type { ProtocolId } from './types/index.ts';
import { inlineData } from './families/google/index.ts';
import { imageTokens } from './families/openai/index.ts';
import { documentText } from './provider-kit/index.ts';
import { callerProtocol } from './protocols.ts';
import { countConversation } from './token-count-conversation.ts';
import { messageTokens, partTokens } from './token-size.ts';

/**
 * OpenAI's models since GPT-4o have the larger vocabulary; all others, of any vendor, are counted with the older one.
 */
const largeVocabulary = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-[5-9](?!\d)|gpt-oss|o\d)/;

/** The vocabulary for a model's count. */
export const encodingOf = (model: string): Encoding => (largeVocabulary.test(model) ? 'o200k' : 'cl100k');

/** Tokens of a text in the vocabulary of a model. */
export const countText = (counter: CountTexts, text: string, model: string): Promise<number> =>
  counter.count([text], encodingOf(model));

/**
 * The input tokens of a request by the rules of docs/compatibility.md#token-counting (all tools are counted; the
 * original counted the last one): charged if an upstream reports nothing. Files by address are not fetched. With
 * `countAtMost` it is an upper bound, for holds.
 */
export function countRequest(
  counter: CountTexts,
  protocol: ProtocolId,
  body: JsonObject,
  model: string,
): Promise<number> {
  if (protocol === 'openai-chat') return countChat(counter, body, model);
  if (protocol === 'cohere-rerank') return countRerank(counter, body, model);
  if (protocol === 'gemini-embeddings') return countEmbedded(counter, body, model);
  const { codec } = callerProtocol(protocol === 'openai-compact' ? 'openai-responses' : protocol) ?? {};
  const read = codec?.readRequest;
  if (read) return countConversation((texts) => counter.count(texts, encodingOf(model)), read(body), model);
  return countInputs(counter, protocol === 'openai-completions' ? body.prompt : body.input, model);
}

/** The content of a request: texts, which are counted together, and everything else, in tokens. */
interface Countable {
  texts: string[];
  tokens: number;
}

const countTexts = async (
  counter: CountTexts,
  { texts, tokens }: Countable,
  model: string,
): Promise<number> => tokens + (await counter.count(texts, encodingOf(model)));

/** Query and documents, each once; images as in a chat. */
function countRerank(counter: CountTexts, body: JsonObject, model: string): Promise<number> {
  const documents = Array.isArray(body.documents) ? body.documents : [];
  const countable: Countable = { texts: [], tokens: 0 };
  for (const each of [body.query, ...documents]) {
    const text = documentText(each);
    const image = isObject(each) ? each.image : undefined;
    if (text !== undefined) countable.texts.push(text);
    else if (typeof image === 'string') countable.tokens += imageTokens({ url: image }, model);
  }
  return countTexts(counter, countable, model);
}

/** Each content, of one or several requests, with its title; images as in a chat. */
function countEmbedded(counter: CountTexts, body: JsonObject, model: string): Promise<number> {
  const countable: Countable = { texts: [], tokens: 0 };
  for (const { title, content } of body.requests === undefined ? [body] : objectsIn(body.requests)) {
    countable.texts.push(textOf(title));
    for (const part of objectsIn(objectOf(content).parts)) {
      countable.texts.push(textOf(part.text));
      countable.tokens += bytesTokens(part, model);
    }
  }
  return countTexts(counter, countable, model);
}

/** Images by their size, sound and files by fixed numbers, as in a chat. */
function bytesTokens(part: JsonObject, model: string): number {
  const data = inlineData(part);
  if (!data) return part.fileData === undefined ? 0 : partTokens.file;
  const { mediaType, base64 } = data;
  if (mediaType.startsWith('image/'))
    return imageTokens({ url: `data:${mediaType};base64,${base64}` }, model);
  return mediaType.startsWith('audio/') ? partTokens.audio : partTokens.file;
}

function countChat(counter: CountTexts, body: JsonObject, model: string): Promise<number> {
  const countable: Countable = { texts: [], tokens: messageTokens.reply };
  for (const message of Array.isArray(body.messages) ? body.messages : []) {
    if (isObject(message)) gatherMessage(countable, message, model);
  }
  gatherTools(countable, body);
  return countTexts(counter, countable, model);
}

function gatherMessage(countable: Countable, message: JsonObject, model: string): void {
  countable.texts.push(textOf(message.role), textOf(message.reasoning_content));
  countable.tokens += messageTokens.each;
  if (Array.isArray(message.content)) {
    for (const part of message.content) {
      if (!isObject(part)) continue;
      countable.texts.push(textOf(part.text));
      countable.tokens += mediaTokens(part, model);
    }
  } else countable.texts.push(textOf(message.content));
  if (typeof message.name === 'string') {
    countable.tokens += 1;
    countable.texts.push(message.name);
  }
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    const inner = isObject(call) && isObject(call.function) ? call.function : {};
    countable.texts.push(textOf(inner.name), textOf(inner.arguments));
  }
}

function gatherTools(countable: Countable, body: JsonObject): void {
  const tools = [
    ...(Array.isArray(body.tools) ? body.tools : []),
    ...(Array.isArray(body.functions) ? body.functions : []),
  ];
  if (tools.length === 0) return;
  countable.tokens += messageTokens.tools;
  for (const tool of tools) {
    if (!isObject(tool)) continue;
    const inner = isObject(tool.function) ? tool.function : tool;
    const schema = inner.parameters === undefined ? '' : JSON.stringify(inner.parameters);
    countable.texts.push(textOf(inner.name), textOf(inner.description), schema);
  }
}

/** `prompt` or `input`: a text, a list of texts, or tokens. */
function countInputs(counter: CountTexts, input: Json | undefined, model: string): Promise<number> {
  const countable: Countable = { texts: [], tokens: 0 };
  gatherInputs(countable, input);
  return countTexts(counter, countable, model);
}

function gatherInputs(countable: Countable, input: Json | undefined): void {
  if (typeof input === 'number') countable.tokens += 1;
  else if (typeof input === 'string') countable.texts.push(input);
  else if (isObject(input)) countable.texts.push(textOf(input.text));
  else if (!Array.isArray(input)) return;
  else if (typeof input[0] === 'number') countable.tokens += input.length;
  else for (const entry of input) gatherInputs(countable, entry);
}

function mediaTokens(part: JsonObject, model: string): number {
  if (part.image_url !== undefined) return imageTokens(part.image_url, model);
  if (part.input_audio !== undefined) return partTokens.audio;
  if (part.file !== undefined) return partTokens.file;
  return part.video_url !== undefined ? partTokens.video : 0;
}

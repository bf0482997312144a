import { imageSize } from '../lib/image-size.ts';
import type { Encoding, TokenCounter } from '../lib/token-count.ts';
import { isObject, type Json, type JsonObject } from './model/json.ts';
import type { ProtocolId } from './model/protocol.ts';

/** OpenAI's models since GPT-4o have the larger vocabulary; all others, of any vendor, are counted with the older one. */
const largeVocabulary = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|o\d)/;

export const encodingOf = (model: string): Encoding => (largeVocabulary.test(model) ? 'o200k' : 'cl100k');

/** Tokens of a text in the vocabulary of a model. */
export const countText = (counter: TokenCounter, text: string, model: string): Promise<number> =>
  counter.count(text, encodingOf(model));

/** Tokens that stand for what is not text (wire-facts 11.4). */
const partTokens = { audio: 100, file: 5_000, video: 5_000, smallImage: 85, glmImage: 1_047, flatImage: 255 };
const perMessage = 3;
const replyPrimer = 3;
const toolsPrimer = 8;

/**
 * The input tokens of a request by the rules of wire-facts 11.4 (all tools counted, where the original counted the
 * last): what is charged when an upstream reports nothing. Addresses of images are not fetched for it.
 */
export function countRequest(
  counter: TokenCounter,
  protocol: ProtocolId,
  body: JsonObject,
  model: string,
): Promise<number> {
  if (protocol === 'openai-chat') return countChat(counter, body, model);
  return countInputs(counter, protocol === 'openai-completions' ? body.prompt : body.input, model);
}

async function countChat(counter: TokenCounter, body: JsonObject, model: string): Promise<number> {
  let tokens = replyPrimer;
  for (const message of Array.isArray(body.messages) ? body.messages : []) {
    if (isObject(message)) tokens += await countMessage(counter, message, model);
  }
  return tokens + (await countTools(counter, body, model));
}

async function countMessage(counter: TokenCounter, message: JsonObject, model: string): Promise<number> {
  const texts = [textOf(message.role), textOf(message.reasoning_content)];
  let tokens = perMessage;
  if (Array.isArray(message.content)) {
    for (const part of message.content) {
      if (!isObject(part)) continue;
      texts.push(textOf(part.text));
      tokens += mediaTokens(part, model);
    }
  } else texts.push(textOf(message.content));
  if (typeof message.name === 'string') {
    tokens += 1;
    texts.push(message.name);
  }
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    const inner = isObject(call) && isObject(call.function) ? call.function : {};
    texts.push(textOf(inner.name), textOf(inner.arguments));
  }
  return tokens + (await sum(counter, texts, model));
}

async function countTools(counter: TokenCounter, body: JsonObject, model: string): Promise<number> {
  const tools = [
    ...(Array.isArray(body.tools) ? body.tools : []),
    ...(Array.isArray(body.functions) ? body.functions : []),
  ];
  if (tools.length === 0) return 0;
  const texts = tools.flatMap((tool) => {
    if (!isObject(tool)) return [];
    const inner = isObject(tool.function) ? tool.function : tool;
    const schema = inner.parameters === undefined ? '' : JSON.stringify(inner.parameters);
    return [textOf(inner.name), textOf(inner.description), schema];
  });
  return toolsPrimer + (await sum(counter, texts, model));
}

/** `prompt` or `input`: a text, a list of texts, or tokens that are counted already. */
async function countInputs(counter: TokenCounter, input: Json | undefined, model: string): Promise<number> {
  if (typeof input === 'number') return 1;
  if (typeof input === 'string') return countText(counter, input, model);
  if (isObject(input)) return countText(counter, textOf(input.text), model);
  if (!Array.isArray(input)) return 0;
  if (typeof input[0] === 'number') return input.length;
  let tokens = 0;
  for (const entry of input) tokens += await countInputs(counter, entry, model);
  return tokens;
}

async function sum(counter: TokenCounter, texts: readonly string[], model: string): Promise<number> {
  let tokens = 0;
  for (const text of texts) tokens += text === '' ? 0 : await countText(counter, text, model);
  return tokens;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function mediaTokens(part: JsonObject, model: string): number {
  if (part.image_url !== undefined) return imageTokens(part.image_url, model);
  if (part.input_audio !== undefined) return partTokens.audio;
  if (part.file !== undefined) return partTokens.file;
  return part.video_url !== undefined ? partTokens.video : 0;
}

/** An image by its size in tiles of 512 pixels, its shorter side limited to 768. */
function imageTokens(image: Json, model: string): number {
  const url = isObject(image) ? textOf(image.url) : textOf(image);
  if (isObject(image) && image.detail === 'low') return partTokens.smallImage;
  if (model.startsWith('glm-4v')) return partTokens.glmImage;
  if (/^(gemini|claude)/.test(model)) return partTokens.flatImage;
  const size = url.startsWith('data:') ? imageSize(headOf(url)) : undefined;
  if (!size) return partTokens.flatImage;
  const scale = Math.min(1, 768 / Math.min(size.width, size.height));
  const across = (length: number): number => Math.ceil(Math.ceil(length * scale) / 512);
  const tiles = across(size.width) * across(size.height);
  return model.startsWith('gpt-4o-mini') ? tiles * 5_667 + 2_833 : tiles * 170 + 85;
}

/** The first bytes of a data URL; the size of an image stands in them. */
function headOf(url: string): Buffer {
  const comma = url.indexOf(',');
  return Buffer.from(url.slice(comma + 1, comma + 1 + 64 * 1024), 'base64');
}

import type { Encoding, TokenCounter } from '../lib/token-count.ts';
import { isObject, type Json, type JsonObject } from '../lib/json.ts';
import type { ProtocolId } from './types/index.ts';
import { imageTokens } from './families/openai/index.ts';
import { documentText } from './provider-kit/index.ts';
import { callerProtocol } from './protocols.ts';
import { countConversation } from './token-count-conversation.ts';
import { messageTokens, partTokens } from './token-size.ts';

/**
 * OpenAI's models since GPT-4o have the larger vocabulary; all others, of any vendor, are counted with the older one.
 */
const largeVocabulary = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|o\d)/;

/** The vocabulary that a model is counted with. */
export const encodingOf = (model: string): Encoding => (largeVocabulary.test(model) ? 'o200k' : 'cl100k');

/** Tokens of a text in the vocabulary of a model. */
export const countText = (counter: TokenCounter, text: string, model: string): Promise<number> =>
  counter.count(text, encodingOf(model));

/**
 * The input tokens of a request by the rules of docs/compatibility.md#token-counting (all tools counted, where the
 * original counted the
 * last): what is charged when an upstream reports nothing. Addresses of images are not fetched for it.
 */
export function countRequest(
  counter: TokenCounter,
  protocol: ProtocolId,
  body: JsonObject,
  model: string,
): Promise<number> {
  if (protocol === 'openai-chat') return countChat(counter, body, model);
  if (protocol === 'cohere-rerank') return countRerank(counter, body, model);
  const read = callerProtocol(protocol)?.codec?.readRequest;
  if (read) return countConversation((text) => countText(counter, text, model), read(body), model);
  return countInputs(counter, protocol === 'openai-completions' ? body.prompt : body.input, model);
}

/** Query and documents, each once; pictures as images of a chat. */
async function countRerank(counter: TokenCounter, body: JsonObject, model: string): Promise<number> {
  const documents = Array.isArray(body.documents) ? body.documents : [];
  let tokens = 0;
  for (const each of [body.query, ...documents]) {
    const text = documentText(each);
    const image = isObject(each) ? each.image : undefined;
    if (text !== undefined) tokens += await countText(counter, text, model);
    else if (typeof image === 'string') tokens += imageTokens({ url: image }, model);
  }
  return tokens;
}

async function countChat(counter: TokenCounter, body: JsonObject, model: string): Promise<number> {
  let tokens = messageTokens.reply;
  for (const message of Array.isArray(body.messages) ? body.messages : []) {
    if (isObject(message)) tokens += await countMessage(counter, message, model);
  }
  return tokens + (await countTools(counter, body, model));
}

async function countMessage(counter: TokenCounter, message: JsonObject, model: string): Promise<number> {
  const texts = [textOf(message.role), textOf(message.reasoning_content)];
  let tokens = messageTokens.each;
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
  return messageTokens.tools + (await sum(counter, texts, model));
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

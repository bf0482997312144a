import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

/** A vendor client's reading of an answer, in a form that is comparable across protocols. */
export interface ReadAnswer {
  text: string;
  thinking: string;
  tools: { name: string; input: unknown }[];
  finish: string;
  /** All tokens of the input, including cached ones, and of the output; 0 if not reported. */
  inputTokens: number;
  outputTokens: number;
}

export interface From {
  url: string;
  key: string;
  model: string;
  stream: boolean;
  /** Replaces the network. */
  fetch?: typeof fetch;
}

/** A fetch that answers every call with a recording. */
export const recordedFetch = (body: Buffer, contentType: string): typeof fetch => {
  const type = contentType || 'text/event-stream';
  return () => Promise.resolve(new Response(new Uint8Array(body), { headers: { 'content-type': type } }));
};

/**
 * The answer as its own client reads it. If the vendor reports no counts, those of `read` replace them, because callers
 * get Tollgate's counts.
 */
export const withCounts = (original: ReadAnswer, read: ReadAnswer): ReadAnswer =>
  original.inputTokens + original.outputTokens > 0
    ? original
    : { ...original, inputTokens: read.inputTokens, outputTokens: read.outputTokens };

const greeting = [{ role: 'user' as const, content: 'hi' }];

/** Reads with `@anthropic-ai/sdk`. */
export async function readByAnthropic(from: From): Promise<ReadAnswer> {
  const client = new Anthropic({
    baseURL: from.url,
    apiKey: from.key,
    maxRetries: 0,
    ...(from.fetch && { fetch: from.fetch }),
  });
  const body = { model: from.model, max_tokens: 1_000, messages: greeting };
  const message = from.stream
    ? await client.messages.stream(body).finalMessage()
    : await client.messages.create(body);
  const read: ReadAnswer = {
    text: '',
    thinking: '',
    tools: [],
    finish: message.stop_reason ?? '',
    inputTokens: 0,
    outputTokens: 0,
  };
  for (const block of message.content) {
    if (block.type === 'text') read.text += block.text;
    else if (block.type === 'thinking') read.thinking += block.thinking;
    else if (block.type === 'tool_use') read.tools.push({ name: block.name, input: block.input });
  }
  const { usage } = message;
  read.inputTokens =
    usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  read.outputTokens = usage.output_tokens;
  return read;
}

/** Vendors' additional fields in OpenAI's protocol. They are not in its types, but its client passes them through. */
interface Beyond {
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: { text?: string }[] | null;
}
interface GroqChunk {
  x_groq?: { usage?: OpenAI.CompletionUsage };
}
/** A part of Mistral's content. */
interface ListedPart {
  text?: string;
  thinking?: { text?: string }[];
}

/** Reads with `openai`, in Chat Completions. */
export async function readByOpenai(from: From): Promise<ReadAnswer> {
  const client = new OpenAI({
    baseURL: `${from.url}/v1`,
    apiKey: from.key,
    maxRetries: 0,
    ...(from.fetch && { fetch: from.fetch }),
  });
  const body = { model: from.model, messages: greeting };
  if (!from.stream) return ofCompletion(await client.chat.completions.create(body));
  const stream = await client.chat.completions.create({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  });
  return gather(stream);
}

const emptyRead = (): ReadAnswer => ({
  text: '',
  thinking: '',
  tools: [],
  finish: '',
  inputTokens: 0,
  outputTokens: 0,
});

async function gather(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<ReadAnswer> {
  const read = emptyRead();
  const inputs = new Map<number, { name: string; text: string }>();
  for await (const chunk of stream) {
    const usage = chunk.usage ?? (chunk as GroqChunk).x_groq?.usage;
    if (usage) addUsage(read, usage);
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    read.finish = choice.finish_reason ?? read.finish;
    addWords(read, choice.delta as OpenAI.ChatCompletionMessage & Beyond);
    for (const call of choice.delta?.tool_calls ?? []) {
      const input = inputs.get(call.index) ?? { name: '', text: '' };
      inputs.set(call.index, {
        name: input.name + (call.function?.name ?? ''),
        text: input.text + (call.function?.arguments ?? ''),
      });
    }
  }
  read.tools = [...inputs.values()].map(({ name, text }) => ({ name, input: parsed(text) }));
  return read;
}

function ofCompletion(completion: OpenAI.ChatCompletion): ReadAnswer {
  const read = emptyRead();
  const choice = completion.choices[0]!;
  read.finish = choice.finish_reason;
  addWords(read, choice.message);
  for (const call of choice.message.tool_calls ?? []) {
    if (call.type === 'function') {
      read.tools.push({ name: call.function.name, input: parsed(call.function.arguments) });
    }
  }
  if (completion.usage) addUsage(read, completion.usage);
  return read;
}

type Words = { content?: unknown; refusal?: string | null } & Beyond;

function addWords(read: ReadAnswer, message: Words | undefined): void {
  if (!message) return;
  const parts: ListedPart[] = Array.isArray(message.content) ? message.content : [];
  read.text += typeof message.content === 'string' ? message.content : join(parts);
  read.text += message.refusal ?? '';
  const plain = message.reasoning_content || message.reasoning;
  // A list next to the plain field repeats its text, with signatures.
  const isListed = !plain && (message.reasoning_details ?? []).every((detail) => !('signature' in detail));
  read.thinking += isListed ? join(message.reasoning_details ?? []) : (plain ?? '');
  read.thinking += parts.map(({ thinking }) => join(thinking ?? [])).join('');
}

const join = (parts: readonly { text?: string }[]): string => parts.map(({ text }) => text ?? '').join('');

function addUsage(read: ReadAnswer, usage: OpenAI.CompletionUsage): void {
  read.inputTokens = usage.prompt_tokens;
  // Some vendors exclude reasoning from completion_tokens and include it in the total.
  read.outputTokens = Math.max(usage.completion_tokens, usage.total_tokens - usage.prompt_tokens);
}

function parsed(text: string): unknown {
  return text === '' ? {} : (JSON.parse(text) as unknown);
}

/** Anthropic's stop reasons as finish reasons of Chat. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

/** An answer with the finish reason of Chat, independent of the client that read it. */
export const inChatWords = (read: ReadAnswer): ReadAnswer => ({
  ...read,
  finish: reasons[read.finish] ?? read.finish,
});

import { product } from '@tollgate/contract';
import { rawFetch } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { createParser, type ParseError } from 'eventsource-parser';

/** Maximum length of an unfinished event, in characters: it must not fill the memory of the tab. */
const maxBufferSize = 4_000_000;

/** The `data` of each server-sent event of a body; several data lines of one event are joined by line breaks. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let events: string[] = [];
  let tooLong: ParseError | undefined;
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ data }) => events.push(data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = error;
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A last event without its empty line counts, too.
      parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
      if (tooLong) throw tooLong;
      yield* events;
      events = [];
      if (done) return;
    }
  } finally {
    // Also runs if the reader stops early, so that the server ends the stream.
    await reader.cancel().catch(() => undefined);
  }
}

/** A part of a message with images, which are data URLs. */
type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string | readonly ChatPart[];
}

/** The usage of an answer, as the gateway reports it at the end of a stream. */
export interface ChatUsage {
  inputTokens: number;
  outputTokens: number;
}

/** One step of an answer. */
export type ChatStep =
  | { type: 'start'; requestId: string | null }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'usage'; usage: ChatUsage }
  /** The finish reason: `stop`, `length`, …; the usage may follow. */
  | { type: 'end'; reason: string };

export interface ChatCall {
  /** Below `/v1` for calls with a key, any other for calls with the console's `headers`. */
  url: string;
  headers: Record<string, string>;
  body: { model: string; messages: readonly ChatMessage[] } & Record<string, unknown>;
  signal: AbortSignal;
  /** Receives every event unchanged, to display the stream. */
  onData?: (data: string) => void;
}

/** A call with a key, identical to that of a customer's program. */
export const keyCall = (key: string): Pick<ChatCall, 'url' | 'headers'> => ({
  url: '/v1/chat/completions',
  headers: { authorization: `Bearer ${key}` },
});

/**
 * Streams an answer. Throws an `ApiError` with the gateway's message on a refusal, also in the middle of a stream; an
 * abort of the signal throws as `fetch` does.
 */
export async function* streamChat(call: ChatCall): AsyncGenerator<ChatStep> {
  const response = await rawFetch(call.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...call.headers },
    body: JSON.stringify({ ...call.body, stream: true, stream_options: { include_usage: true } }),
    signal: call.signal,
  });
  const requestId = response.headers.get(product.headers.requestId);
  if (!response.ok || !response.body) throw await readRefusal(response, requestId);
  yield { type: 'start', requestId };
  for await (const data of readEvents(response.body)) {
    call.onData?.(data);
    if (data === '[DONE]') return;
    yield* stepsOf(parseJson(data), requestId);
  }
}

/** The used fields of a chunk; vendors send far more. */
interface Chunk {
  error?: { message?: unknown; code?: unknown };
  choices?: {
    delta?: { content?: unknown; reasoning_content?: unknown };
    finish_reason?: unknown;
  }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
}

function parseJson(data: string): Chunk {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function* stepsOf(chunk: Chunk, requestId: string | null): Generator<ChatStep> {
  if (chunk.error) throw relayError(200, chunk.error, requestId);
  const { delta, finish_reason: reason } = chunk.choices?.[0] ?? {};
  if (typeof delta?.reasoning_content === 'string' && delta.reasoning_content !== '')
    yield { type: 'reasoning', text: delta.reasoning_content };
  if (typeof delta?.content === 'string' && delta.content !== '') yield { type: 'text', text: delta.content };
  if (typeof reason === 'string' && reason !== '') yield { type: 'end', reason };
  const { prompt_tokens: input, completion_tokens: output } = chunk.usage ?? {};
  if (typeof input === 'number' && typeof output === 'number')
    yield { type: 'usage', usage: { inputTokens: input, outputTokens: output } };
}

/** The error of a refused relay call, in OpenAI's format. */
export async function readRefusal(response: Response, requestId: string | null): Promise<ApiError> {
  const chunk = parseJson(await response.text().catch(() => ''));
  return relayError(response.status, chunk.error, requestId);
}

const relayError = (status: number, error: Chunk['error'], requestId: string | null) =>
  new ApiError({
    status,
    message: typeof error?.message === 'string' && error.message !== '' ? error.message : `HTTP ${status}`,
    code: typeof error?.code === 'string' ? error.code : undefined,
    requestId: requestId ?? undefined,
  });

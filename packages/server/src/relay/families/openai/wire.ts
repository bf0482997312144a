import type { EventCursor } from '../../../lib/sse/index.ts';
import {
  isFilled,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  parseObject,
} from '../../../lib/json.ts';
import {
  JsonPass,
  StreamPass,
  type TextReader,
  type AnswerWire,
  contentIn,
  pass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, RelayError } from '../../types/index.ts';
import { readErrorObject, statusInside, upstreamFailure } from './error.ts';
import { readOpenaiUsage } from './usage.ts';

const errorKey = Buffer.from('"error"');
/** Suffix of usage counters: a vendor may send only one of them. */
const usageKey = Buffer.from('_tokens"');
/**
 * Parts of `[DONE]`, of `error` as a key or an event's name, and of the counters of a usage, short and with rare first
 * letters.
 */
const markers = ['DONE]', 'rror', 'kens"'].map((mark) => Buffer.from(mark));

/**
 * The usage object of a chunk or answer, with the service tier that it reports; in streams Groq keeps it under
 * `x_groq`, Moonshot in the last choice.
 */
export function usageIn(body: JsonObject): JsonObject | undefined {
  const usage = plainUsageIn(body);
  const { service_tier: tier } = body;
  // Nearly every answer is of the standard tier, and its usage is read as it is.
  return usage && typeof tier === 'string' && tier !== 'default' ? { ...usage, service_tier: tier } : usage;
}

function plainUsageIn(body: JsonObject): JsonObject | undefined {
  if (isObject(body.usage)) return body.usage;
  if (isObject(body.x_groq) && isObject(body.x_groq.usage)) return body.x_groq.usage;
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  return isObject(choice) && isObject(choice.usage) ? choice.usage : undefined;
}

/** True for a finish reason that ends a choice. Until its end some vendors write '' or the word "null". */
export const namesEnd = (reason: Json | undefined): reason is string =>
  typeof reason === 'string' && reason !== '' && reason !== 'null';

/** For answers that hold nothing to count but what the vendor reports. */
export const readUsageOnly: TextReader = (body, sink) => {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
};

/** The error inside an event or answer with a success status. */
export function failureIn(body: JsonObject, secrets: readonly string[] = []): RelayError | undefined {
  // Cloudflare's errors are a list.
  const error = body.error ?? (body.success === false ? objectsIn(body.errors)[0] : undefined);
  if (error === undefined || error === null || error === false || error === '') return undefined;
  const status = statusInside({ error });
  const words = typeof error === 'string' ? error : JSON.stringify(error);
  return readErrorObject({ error }, status, secrets) ?? upstreamFailure(status, words, secrets);
}

/** The stream of the OpenAI family: data events, `[DONE]` at the end, an `error` member or event for failures. */
function openaiStreamWire(
  { readText, list, mediaMarks }: OpenaiAnswers,
  secrets: readonly string[],
): StreamWire {
  return {
    markers,
    ...(mediaMarks && { mediaMarks }),
    readText,
    examine: (event) => examine(event, secrets),
    isContent: contentIn((body) => hasEntries(body, list)),
  };
}

/** True where the list of an answer says something. A choice that only begins (`role`) says nothing yet. */
function hasEntries(body: JsonObject, list: string): boolean {
  const entries = body[list];
  if (list !== 'choices') return Array.isArray(entries) && entries.length > 0;
  return objectsIn(entries).some((choice) => {
    const { role: _, ...rest } = objectOf(choice.delta ?? choice.message);
    return isFilled(rest) || isFilled(choice.text) || isFilled(choice.finish_reason);
  });
}

function examine(event: EventCursor, secrets: readonly string[]): Verdict {
  const data = event.data();
  if (!data) return pass;
  if (data.length <= 8 && data.toString().trim() === '[DONE]') return { kind: 'end' };
  const isError = event.name === 'error';
  if (!isError && !data.includes(errorKey) && !data.includes(usageKey)) return pass;
  const body = parseObject(data);
  if (isError) return { kind: 'error', error: namedError(body, data, secrets), raw: body && usageIn(body) };
  if (!body) return pass;
  const failure = failureIn(body, secrets);
  if (failure) return { kind: 'error', error: failure, raw: usageIn(body) };
  const raw = usageIn(body);
  if (!raw) return pass;
  const isOnlyUsage = Array.isArray(body.choices) && body.choices.length === 0;
  return { kind: isOnlyUsage ? 'usage-only' : 'usage', raw };
}

/** An event named `error`, whatever its data look like. */
export function namedError(
  body: JsonObject | undefined,
  data: Buffer,
  secrets: readonly string[],
): RelayError {
  const reported = body && failureIn(body, secrets);
  const words = typeof body?.message === 'string' ? body.message : data.toString('utf8', 0, 2_000);
  return reported ?? upstreamFailure(502, words, secrets);
}

/** What the answers of one call of OpenAI's look like. */
export interface OpenaiAnswers {
  /** The member that every answer has: `choices`, `data`, `results`. */
  list: string;
  readText: TextReader;
  hasText: boolean;
  /** As `StreamWire.mediaMarks`. */
  mediaMarks?: readonly Buffer[];
}

/** Opens the reader of an answer of the OpenAI family that passes to a caller of the same protocol. */
export function openOpenaiPipe(answers: OpenaiAnswers, setup: AnswerSetup): AnswerPipe {
  const { secrets, hideUsage, contentType } = setup;
  if (setup.kind === 'stream') {
    return new StreamPass('text/event-stream', {
      wire: openaiStreamWire(answers, secrets),
      hideUsage,
      readUsage: readOpenaiUsage,
      secrets,
    });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => Array.isArray(body[answers.list]),
    hasContent: (body) => hasEntries(body, answers.list),
    readFailure: (body) => failureIn(body, secrets) ?? refusalIn(body, secrets),
    readText: answers.readText,
    hasText: answers.hasText,
  };
  return new JsonPass(contentType, { wire, readUsage: readOpenaiUsage, rewrite: setup.rewrite });
}

/** MiniMax answers 200 with its own status inside. */
function refusalIn(body: JsonObject, secrets: readonly string[]): RelayError | undefined {
  const status = isObject(body.base_resp) ? body.base_resp : {};
  if (typeof status.status_code !== 'number' || status.status_code === 0) return undefined;
  const words = typeof status.status_msg === 'string' ? status.status_msg : '';
  return upstreamFailure(502, `${words} (${status.status_code})`, secrets);
}

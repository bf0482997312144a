import { type Usage, withoutOutput } from '@tollgate/contract';
import type { EventCursor } from '../../../lib/sse/index.ts';
import {
  googleMedia,
  googleMediaMarks,
  hasOutput,
  inlineData,
  readGeminiFailure,
  readGeminiUsage,
  Searches,
  withSearches,
} from '../../families/google/index.ts';
import {
  isFilled,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  parseObject,
  textOf,
} from '../../../lib/json.ts';
import { upstreamFailure } from '../../families/openai/index.ts';
import {
  type AnswerWire,
  contentIn,
  JsonPass,
  pass,
  StreamPass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, RelayError } from '../../types/index.ts';
import type { TextSink } from '../../streams/index.ts';
import { blockOf, endOf } from './reasons.ts';

/** Takes the text out of a chunk or a whole answer; both have the same shape. */
function readGeminiText(body: JsonObject, sink: TextSink): void {
  const usage = body.usageMetadata;
  if (isObject(usage)) sink.usage(withSearches(usage, body));
  if (blockOf(body) !== '') sink.finish();
  for (const candidate of objectsIn(body.candidates)) {
    for (const part of objectsIn(objectOf(candidate.content).parts)) readPart(part, sink);
    if (endOf(candidate) !== '') sink.finish();
  }
}

function readPart(part: JsonObject, sink: TextSink): void {
  if (part.thought === true) sink.reasoning(textOf(part.text));
  else sink.output(textOf(part.text));
  const media = inlineData(part);
  if (media) sink.media(googleMedia(media.mediaType, media.base64));
  const { functionCall, executableCode, codeExecutionResult } = part;
  if (isObject(functionCall)) {
    sink.toolCall();
    sink.output(textOf(functionCall.name));
    sink.output(JSON.stringify(functionCall.args ?? {}));
  }
  if (isObject(executableCode)) sink.output(textOf(executableCode.code));
  if (isObject(codeExecutionResult)) sink.output(textOf(codeExecutionResult.output));
}

/** Parts of the keys of usage, end, refused prompt, search and error. */
const markers = [
  'usageMetadata"',
  'finishReason"',
  'blockReason"',
  'webSearchQueries"',
  'rror"',
  'event: error',
].map((mark) => Buffer.from(mark));

/**
 * Follows one stream. Gemini has no end marker: the stream is complete when every candidate has a finish reason, and that
 * event is held back like an end marker. Gemini 1.5 and its copies send one in every chunk.
 */
class GeminiStream implements StreamWire {
  readonly markers = markers;
  readonly mediaMarks = googleMediaMarks;
  readonly readText = readGeminiText;
  readonly isContent = contentIn(hasContent);
  readonly continuesAnswer = contentIn(hasParts);
  private readonly secrets: readonly string[];
  private readonly open = new Set<number>();
  private readonly finished = new Set<number>();
  private readonly searches = new Searches();
  private usage: JsonObject | undefined;

  constructor(secrets: readonly string[]) {
    this.secrets = secrets;
  }

  examine(event: EventCursor): Verdict {
    const data = event.data();
    if (!data) return pass;
    const body = parseObject(data);
    if (event.name === 'error' && !body) {
      return { kind: 'error', error: upstreamFailure(502, data.toString('utf8', 0, 2_000), this.secrets) };
    }
    if (!body) return pass;
    this.searches.note(body);
    this.noteUsage(body.usageMetadata);
    const raw = this.usage && this.searches.addTo(this.usage);
    const error = failureOf(body, this.secrets);
    if (error) return { kind: 'error', error, raw };
    if (this.ends(body)) return { kind: 'end', raw };
    return raw ? { kind: 'usage', raw } : pass;
  }

  /** The first chunks have only the prompt; a later one without output changes nothing. */
  private noteUsage(reported: Json | undefined): void {
    if (isObject(reported) && (hasOutput(reported) || !this.usage || !hasOutput(this.usage)))
      this.usage = reported;
  }

  private ends(body: JsonObject): boolean {
    if (isBlocked(body)) return true;
    for (const candidate of objectsIn(body.candidates)) {
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      this.open.add(index);
      if (endOf(candidate) !== '') this.finished.add(index);
    }
    return this.finished.size > 0 && this.finished.size === this.open.size;
  }
}

const hasParts = (body: JsonObject): boolean =>
  objectsIn(body.candidates).some(({ content }) => isFilled(objectOf(content).parts));

const hasContent = (body: JsonObject): boolean =>
  isBlocked(body) ||
  hasParts(body) ||
  objectsIn(body.candidates).some(({ finishReason }) => isFilled(finishReason));

/** A usage without output would bill a broken stream as empty. */
const readUsage = (raw: JsonObject): Usage | undefined => (hasOutput(raw) ? readGeminiUsage(raw) : undefined);

function readInput(raw: JsonObject): Usage | undefined {
  const usage = readGeminiUsage(raw);
  return usage && withoutOutput(usage);
}

const isBlocked = (body: JsonObject): boolean => blockOf(body) !== '';

function failureOf(body: JsonObject, secrets: readonly string[]): RelayError | undefined {
  if (body.error === undefined || body.error === null) return undefined;
  return readGeminiFailure(body, secrets) ?? upstreamFailure(502, JSON.stringify(body.error), secrets);
}

/** Opens the reader of an answer that passes to a caller of the same protocol. */
export function openGeminiPipe(setup: AnswerSetup): AnswerPipe {
  const { secrets, hideUsage, contentType } = setup;
  if (setup.kind === 'stream') {
    const wire = new GeminiStream(secrets);
    return new StreamPass('text/event-stream', { wire, hideUsage, readUsage, readInput, secrets });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => Array.isArray(body.candidates) || isBlocked(body),
    hasContent,
    readFailure: (body) => failureOf(body, secrets),
    readText: readGeminiText,
    hasText: true,
    usageKey: 'usageMetadata',
  };
  return new JsonPass(contentType, { wire, readUsage, readInput, rewrite: setup.rewrite });
}

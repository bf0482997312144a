import { type Usage, usageOf } from '@tollgate/contract';
import type { EventCursor } from '../../../lib/sse/index.ts';
import { type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import { readOpenaiUsage, failureIn, namedError, usageIn } from '../../families/openai/index.ts';
import {
  BytesPass,
  JsonPass,
  SniffPipe,
  StreamPass,
  type TextSink,
  type AnswerWire,
  pass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, BodyKind, RequestFacts } from '../../types/index.ts';
import { isPricedBySound } from './facts.ts';
import { soundTokens } from './minutes.ts';
import { SpeechPass } from './speech-pass.ts';

/** Parts of the names of the events that end a stream, of `[DONE]`, and of `error` as a key or a name. */
const markers = ['.audio.done', '.text.done', 'DONE]', 'rror'].map((mark) => Buffer.from(mark));
const ends = ['speech.audio.done', 'transcript.text.done'];
const marks = [...ends, 'error'].map((name) => Buffer.from(`"${name}"`));

/**
 * The usage of a call for sound: tokens, or the length of the input (`type: duration`), which counts as tokens by the
 * minute (docs/compatibility.md#charge).
 */
export function readAudioUsage(raw: JsonObject): Usage | undefined {
  if (raw.type !== 'duration') return readOpenaiUsage(raw);
  const { seconds } = raw;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return usageOf({ input: soundTokens(seconds) });
}

/** The usage of a whole answer; a detailed answer of older servers has only the length. */
function readUsage(body: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  else if (typeof body.duration === 'number') sink.usage({ type: 'duration', seconds: body.duration });
}

function examine(event: EventCursor, secrets: readonly string[]): Verdict {
  const data = event.data();
  if (!data) return pass;
  if (data.length <= 8 && data.toString().trim() === '[DONE]') return { kind: 'end' };
  const isError = event.name === 'error';
  if (!isError && !ends.includes(event.name) && !marks.some((mark) => data.includes(mark))) return pass;
  const body = parseObject(data);
  if (isError) return { kind: 'error', error: namedError(body, data, secrets) };
  if (!body) return pass;
  const failure = failureIn(body, secrets);
  if (failure) return { kind: 'error', error: failure, raw: usageIn(body) };
  const type = typeof body.type === 'string' ? body.type : event.name;
  return ends.includes(type) ? { kind: 'end', raw: usageIn(body) } : pass;
}

/** Sound, a piece of a transcript, or the end of either: the transcript of silence has no words. */
const isContent = (event: EventCursor): boolean => {
  const data = event.data();
  const type = textOf(data && parseObject(data)?.type) || event.name;
  return type.startsWith('speech.') || type.startsWith('transcript.');
};

/**
 * Kind of an answer: sound and subtitles have many media types, so everything but events and JSON is bytes. A web page
 * is never an answer, nor is plain text in place of sound.
 */
export function kindOfAudio(contentType: string, { media }: RequestFacts): BodyKind {
  const type = contentType.toLowerCase();
  if (type.includes('event-stream')) return 'stream';
  if (type.includes('json') || type.includes('html')) return 'json';
  return media?.answer === 'sound' && type.startsWith('text/') ? 'json' : 'bytes';
}

/** Sound with a charge is measured; all other bytes are passed unread. */
function openBytes({ contentType, media, asked = {} }: AnswerSetup): AnswerPipe {
  if (media?.answer !== 'sound' || !isPricedBySound(textOf(asked.model))) return new BytesPass(contentType);
  return new SpeechPass(contentType, textOf(asked.response_format) || 'mp3');
}

/** Default Content-Type of an answer without one. */
const nameless = 'application/octet-stream';

/** An object or a page in an answer without a type; no sound begins like them. */
const bytesOrJson = (first: number | undefined): BodyKind =>
  first === 0x7b || first === 0x3c ? 'json' : 'bytes';

/** Opens the reader of an answer with sound or a transcript. */
export function openAudioPipe(setup: AnswerSetup): AnswerPipe {
  const { secrets, contentType, rewrite, kind } = setup;
  if (kind === 'bytes') {
    if (contentType !== '') return openBytes(setup);
    return new SniffPipe(
      (found) => openAudioPipe({ ...setup, kind: found, contentType: nameless }),
      bytesOrJson,
    );
  }
  if (kind === 'stream') {
    const wire: StreamWire = { markers, examine: (event) => examine(event, secrets), isContent };
    return new StreamPass('text/event-stream', {
      wire,
      hideUsage: false,
      readUsage: readAudioUsage,
      secrets,
    });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => typeof body.text === 'string' || Array.isArray(body.segments),
    // Silence has no words.
    hasContent: () => true,
    readFailure: (body) => failureIn(body, secrets),
    readText: readUsage,
    hasText: false,
  };
  return new JsonPass(contentType, { wire, readUsage: readAudioUsage, rewrite });
}

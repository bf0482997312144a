import { type Usage, usageCounters, usageOf } from '@tollgate/contract';
import type { EventCursor } from '../../../lib/sse/index.ts';
import { isFilled, isObject, type JsonObject, parseObject } from '../../../lib/json.ts';
import { failureIn, namedError, readUsageOnly, readOpenaiUsage } from '../../families/openai/index.ts';
import {
  CountImages,
  findUsage,
  JsonPass,
  StreamPass,
  type AnswerWire,
  pass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerEnd, AnswerPipe, AnswerSetup } from '../../types/index.ts';

/** The usage of an image call. All output is image, unless the vendor reports the text part of it. */
export function readImagesUsage(raw: JsonObject): Usage | undefined {
  const usage = readOpenaiUsage(raw);
  if (!usage || isObject(raw.output_tokens_details ?? raw.completion_tokens_details)) return usage;
  return { ...usage, output: 0, imageOutput: usage.imageOutput + usage.output };
}

const usageKey = Buffer.from('"usage"');
const partial = Buffer.from('.partial_image"');
const completed = Buffer.from('.completed"');
const errorKey = Buffer.from('"error"');
/** Parts of the names of events, of `[DONE]`, and of `error` as a key or a name. */
const markers = ['.partial_image', '.completed', 'DONE]', 'rror'].map((mark) => Buffer.from(mark));
/** The name of an event is at the start of its data, or after the image at its end. */
const nameSearchBytes = 1_024;

/**
 * A stream of images: each has partial images (`partial_image`) and a whole one (`completed`) with its usage. The last
 * requested one ends the stream. Events of many MB are searched for names, not parsed.
 */
class ImageStream {
  /** Complete images. */
  completed = 0;
  /** A part of the next image has arrived. */
  hasBegun = false;
  private usage: Usage | undefined;
  private readonly asked: number;
  private readonly secrets: readonly string[];

  constructor(asked: number, secrets: readonly string[]) {
    this.asked = asked;
    this.secrets = secrets;
  }

  /** Images, complete or partial. */
  get images(): number {
    return this.completed + (this.hasBegun ? 1 : 0);
  }

  examine(event: EventCursor): Verdict {
    const data = event.data();
    if (!data) return pass;
    if (data.length <= 8 && data.toString().trim() === '[DONE]') return { kind: 'end' };
    if (event.name === 'error') {
      return { kind: 'error', error: namedError(parseObject(data), data, this.secrets) };
    }
    if (isNamed(event.name, data, partial)) this.hasBegun = true;
    else if (isNamed(event.name, data, completed)) return this.complete(data);
    else if (data.includes(errorKey)) return this.failure(data);
    return pass;
  }

  private complete(data: Buffer): Verdict {
    this.completed += 1;
    this.hasBegun = false;
    const raw = findUsage(data, usageKey);
    const usage = raw && readImagesUsage(raw);
    if (usage) this.usage = this.usage ? sum(this.usage, usage) : usage;
    return this.completed >= this.asked ? { kind: 'end' } : pass;
  }

  private failure(data: Buffer): Verdict {
    const body = parseObject(data);
    const error = body && failureIn(body, this.secrets);
    return error ? { kind: 'error', error } : pass;
  }

  /** The usage of all images together, and their number. */
  ended(end: AnswerEnd): AnswerEnd {
    return { ...end, usage: this.usage, images: this.images };
  }
}

/** True for an event of that name: by its `event` line, or by the `type` in its data. */
function isNamed(name: string, data: Buffer, mark: Buffer): boolean {
  if (name !== '') return `${name}"`.endsWith(mark.toString());
  return data.subarray(0, nameSearchBytes).includes(mark) || data.subarray(-nameSearchBytes).includes(mark);
}

/** An image, whole or in part. */
function isImage(event: EventCursor): boolean {
  const data = event.data();
  if (!data) return false;
  return isNamed(event.name, data, partial) || isNamed(event.name, data, completed);
}

function sum(first: Usage, second: Usage): Usage {
  const both = usageOf();
  for (const name of usageCounters) both[name] = first[name] + second[name];
  return both;
}

/** A StreamPass that counts the images in its passed bytes. */
class ImageStreamPass extends StreamPass {
  private readonly stream: ImageStream;

  constructor(asked: number, secrets: readonly string[]) {
    const stream = new ImageStream(asked, secrets);
    const wire: StreamWire = { markers, examine: (event) => stream.examine(event), isContent: isImage };
    super('text/event-stream', { wire, hideUsage: false, readUsage: readImagesUsage, secrets });
    this.stream = stream;
  }

  override end(broken: boolean): AnswerEnd {
    return this.stream.ended(super.end(broken));
  }
}

/** Opens the reader of an answer with images. */
export function openImagesPipe(setup: AnswerSetup): AnswerPipe {
  const { secrets, contentType, rewrite, media } = setup;
  if (setup.kind === 'stream') return new ImageStreamPass(media?.calls ?? 1, secrets);
  const wire: AnswerWire = {
    isAnswer: (body) => Array.isArray(body.data) || Array.isArray(body.images),
    hasContent: (body) => isFilled(body.data) || isFilled(body.images),
    readFailure: (body) => failureIn(body, secrets),
    readText: readUsageOnly,
    hasText: false,
  };
  const whole = new JsonPass(contentType, { wire, readUsage: readImagesUsage, rewrite });
  return new CountImages(whole, ['b64_json', 'url'], rewrite !== undefined);
}

import type { Usage } from '@tollgate/contract';
import {
  ambiguousKey,
  isIntricate,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  parseObject,
  scanObject,
  textOf,
} from '../../lib/json.ts';
import { readGeminiUsage, Searches } from '../families/google/index.ts';
import { type ClientEvent, other, type ResponsePiece, type ServerEvent, unreadable } from './events.ts';
import { decodedBytes } from './sound.ts';
import { plausible } from './usage.ts';
import type { RealtimeWire } from './wire.ts';

/** Google counts 25 tokens for a second of sound, which is 16 bit: at 16 kHz from callers, at 24 kHz to them. */
const tokensPerSecond = 25;
const formats = {
  input: { bytesPerSecond: 32_000, tokensPerSecond },
  output: { bytesPerSecond: 48_000, tokensPerSecond },
};

/** Content of a caller's messages. */
interface Content {
  words: string[];
  soundBytes: number;
  images: number;
}

/** Facts of a session. */
interface LiveSession {
  /** The upstream's name of the model. */
  model: string;
  /** The handle that the caller gets for one with which the upstream resumes the session, after this usage. */
  seal(handle: string, usage: Usage | undefined): string;
}

/**
 * Gemini Live. A response has no id and no beginning: it begins with its first piece. It ends with its usage, which
 * may be in the same message as content, and for calls of functions comes before the turn is complete.
 */
export class LiveWire implements RealtimeWire {
  readonly formats = formats;
  readonly tokensPerImage = 258;
  private readonly session: LiveSession;
  private turns = 0;
  /** The response that is running, or waits for its usage; '' for none. */
  private open = '';
  private isOver = false;
  private searches = new Searches();
  private lastUsage: Usage | undefined;

  constructor(session: LiveSession) {
    this.session = session;
  }

  readServer(data: Buffer): ServerEvent & { instead?: Buffer } {
    const message = parseObject(data);
    if (!message) return other;
    const event = this.readMessage(message);
    const update = objectOf(message['sessionResumptionUpdate']);
    const handle = textOf(update['newHandle']);
    if (handle === '') return event;
    const newHandle = this.session.seal(handle, this.lastUsage);
    const changed = { ...message, sessionResumptionUpdate: { ...update, newHandle } };
    return { ...event, instead: Buffer.from(JSON.stringify(changed)) };
  }

  private readMessage(message: JsonObject): ServerEvent {
    const content = objectOf(message['serverContent']);
    const said = contentIn(
      content['modelTurn'],
      content['outputTranscription'],
      objectOf(message['toolCall'])['functionCalls'],
    );
    const text = said.words.join('');
    const before = this.searchesSoFar();
    this.searches.note({ candidates: [content], modelVersion: this.session.model });
    const hasPiece = text !== '' || said.soundBytes > 0 || this.searchesSoFar() > before;
    // A caller may take its time to answer a call.
    const isLast = content['turnComplete'] === true || message['toolCall'] !== undefined;
    const usage = this.readUsage(objectOf(message['usageMetadata']));
    const piece = hasPiece ? this.writePiece({ text, soundBytes: said.soundBytes }, isLast) : undefined;
    if (usage) return this.end(usage, piece);
    if (piece) return piece;
    if (!isLast || this.open === '' || this.isOver) return other;
    this.isOver = true;
    return { kind: 'piece', responseId: this.open, text: '', soundBytes: 0, isLast };
  }

  private writePiece(said: Pick<ResponsePiece, 'text' | 'soundBytes'>, isLast: boolean): ResponsePiece {
    const starts = this.open === '' || this.isOver;
    const settles = this.isOver ? this.open : '';
    if (starts) this.open = this.nextTurn();
    this.isOver = isLast;
    const searches = this.searchesSoFar();
    return {
      kind: 'piece',
      responseId: this.open,
      ...said,
      ...(searches > 0 && { searches }),
      ...(starts && { starts }),
      ...(isLast && { isLast }),
      ...(settles !== '' && { settles }),
    };
  }

  private end(usage: Usage, last: ResponsePiece | undefined): ServerEvent {
    const responseId = this.open === '' ? this.nextTurn() : this.open;
    this.open = '';
    this.isOver = false;
    this.searches = new Searches();
    this.lastUsage = usage;
    return { kind: 'done', responseId, status: 'completed', usage, ...(last && { last }) };
  }

  private nextTurn(): string {
    this.turns += 1;
    return `turn-${this.turns}`;
  }

  private searchesSoFar(): number {
    const { webSearchCalls } = this.searches.addTo({});
    return typeof webSearchCalls === 'number' ? webSearchCalls : 0;
  }

  private readUsage(raw: JsonObject): Usage | undefined {
    const { responseTokenCount, responseTokensDetails, ...others } = raw;
    return plausible(
      readGeminiUsage(
        this.searches.addTo({
          ...others,
          promptTokensDetails: asImages(others['promptTokensDetails']),
          cacheTokensDetails: asImages(others['cacheTokensDetails']),
          // Vertex has the names of other calls.
          candidatesTokenCount: responseTokenCount ?? others['candidatesTokenCount'],
          candidatesTokensDetails: responseTokensDetails ?? others['candidatesTokensDetails'],
        }),
      ),
    );
  }

  readClient(data: Buffer): ClientEvent {
    const scan = scanObject(data);
    if (!scan || ambiguousKey(scan) !== undefined || isIntricate(data)) return unreadable;
    const message = parseObject(data);
    // A session has one setup, which was sent before it began.
    if (!message || message['setup'] !== undefined) return unreadable;
    const { words, soundBytes, images } = contentIn(message);
    if (words.length === 0 && images === 0)
      return soundBytes === 0 ? other : { kind: 'sound', bytes: soundBytes };
    return { kind: 'text', words: words.join('\n'), soundBytes, images, asks: false };
  }
}

/** Frames of a video have the price of images. */
const asImages = (details: Json | undefined): JsonObject[] =>
  objectsIn(details).map((each) => (each['modality'] === 'VIDEO' ? { ...each, modality: 'IMAGE' } : each));

/** Fields that no model reads. */
const unread = new Set(['mimeType', 'mime_type', 'role', 'thoughtSignature', 'thought_signature', 'id']);
const maxDepth = 32;

/** Texts at any depth, and the size of sound and the number of images between them. */
function contentIn(...values: (Json | undefined)[]): Content {
  const found: Content = { words: [], soundBytes: 0, images: 0 };
  for (const value of values) gather(value, found, 0);
  return found;
}

function gather(value: Json | undefined, found: Content, depth: number): void {
  if (typeof value === 'string') found.words.push(value);
  if (typeof value !== 'object' || value === null) return;
  // Deeper texts are counted as a whole.
  if (depth > maxDepth) return void found.words.push(JSON.stringify(value));
  if (Array.isArray(value)) {
    for (const each of value) gather(each, found, depth + 1);
    return;
  }
  const type = textOf(value['mimeType'] ?? value['mime_type']);
  const { data } = value;
  if (typeof data === 'string' && type !== '') {
    if (type.startsWith('audio/')) found.soundBytes += decodedBytes(data.length);
    else found.images += 1;
    return;
  }
  for (const [name, each] of Object.entries(value)) if (!unread.has(name)) gather(each, found, depth + 1);
}

/** The first message of a session. */
export interface LiveSetup {
  /** The model as the caller named it; '' for none. */
  model: string;
  /** Without the model and the handle. */
  setup: JsonObject;
  /** The handle of a session to resume; '' for a new session. */
  handle: string;
  /** The text that the model reads. */
  words: string;
}

/**
 * Reads the first message of a session; undefined for any other. `locked` are the members of a token for a browser, which
 * replace those of the message.
 */
export function readLiveSetup(
  data: Buffer,
  locked: (setup: JsonObject) => JsonObject,
): LiveSetup | undefined {
  const asked = isIntricate(data) ? undefined : parseObject(data)?.['setup'];
  if (!isObject(asked)) return undefined;
  const { model, session_resumption, sessionResumption, ...setup } = locked(asked);
  const resumption = sessionResumption ?? session_resumption;
  const handle = textOf(objectOf(resumption)['handle']);
  return {
    model: modelIn(model),
    setup: { ...setup, ...(resumption !== undefined && { sessionResumption: resumption }) },
    handle,
    words: contentIn(setup['systemInstruction'], setup['system_instruction'], setup['tools']).words.join(
      '\n',
    ),
  };
}

/** `models/m`, `publishers/google/models/m` and `projects/…/models/m` name the model m. */
export const modelIn = (model: Json | undefined): string => textOf(model).replace(/^(?:.*\/)?models\//, '');

import type { Usage } from '@tollgate/contract';
import {
  ambiguousKey,
  isIntricate,
  isObject,
  type Json,
  type JsonObject,
  type ObjectScan,
  scanObject,
  splice,
} from '../../lib/json.ts';
import { decodedBytes, readSession, type SessionFacts } from './sound.ts';
import { plausible, readRealtimeUsage, readTranscriptionUsage } from './usage.ts';

/** Meaning of an upstream's event for the gateway. All others pass unread. */
export type ServerEvent =
  | { kind: 'other' }
  | { kind: 'error'; code: string }
  | { kind: 'session'; facts: SessionFacts }
  | { kind: 'started'; responseId: string }
  | ResponsePiece
  | {
      kind: 'done';
      responseId: string;
      status: string;
      usage: Usage | undefined;
      /** A piece in the same frame; it is delivered with the end. */
      last?: ResponsePiece;
    }
  /** `itemId` is the id of the transcribed speech with the index of its part; '' if the upstream sends none. */
  | { kind: 'transcribed'; itemId: string; usage: Usage | undefined };

/** A piece of a response. */
export interface ResponsePiece {
  kind: 'piece';
  responseId: string;
  /** Text, transcript or arguments of a call; '' for none. */
  text: string;
  soundBytes: number;
  /** Web searches of the response so far; absent for none. */
  searches?: number;
  /** Set if the response begins with it, in a protocol that does not announce responses. */
  starts?: true;
  /** Set if nothing of the response follows but its usage. */
  isLast?: true;
  /** An earlier response that ended without usage: it is charged by our own count. */
  settles?: string;
}

/** Meaning of a caller's event for the gateway. */
export type ClientEvent =
  | { kind: 'other' }
  /**
   * Not an event, or one that two parsers could read differently: the upstream must read exactly the checked content.
   */
  | { kind: 'unreadable' }
  | ClientText
  | { kind: 'sound'; bytes: number }
  | { kind: 'cleared' };

/** An event with the caller's text, or with instructions for the model. */
export interface ClientText {
  kind: 'text';
  /** The caller's whole text, for the site's list of forbidden words. */
  words: string;
  soundBytes: number;
  images: number;
  /** The caller requests a response. */
  asks: boolean;
  /** The member with a model's name, and its object; absent without one. */
  named?: {
    member: 'session' | 'response';
    model: Json;
    within: JsonObject;
    /** Members that lead to the object with the model; absent if `within` has it. */
    path?: readonly string[];
  };
}

export const other = { kind: 'other' } as const;
export const unreadable = { kind: 'unreadable' } as const;

/** Deltas in their older and newer names. */
const deltas: Readonly<Record<string, 'text' | 'sound'>> = {
  'response.text.delta': 'text',
  'response.output_text.delta': 'text',
  'response.audio_transcript.delta': 'text',
  'response.output_audio_transcript.delta': 'text',
  'response.function_call_arguments.delta': 'text',
  'response.audio.delta': 'sound',
  'response.output_audio.delta': 'sound',
};

/** A member's text; '' if it has none. Of repeated members the last one is read, as in `JSON.parse`. */
function textOf(raw: Buffer, scan: ObjectScan, key: string): string {
  const member = scan.members.findLast((each) => each.key === key);
  if (!member || raw[member.valueStart] !== 0x22) return '';
  try {
    return JSON.parse(raw.toString('utf8', member.valueStart, member.valueEnd)) as string;
  } catch {
    return '';
  }
}

/** Characters between the quotes of a member that holds base64: counted, not copied. */
function lengthOf(scan: ObjectScan, key: string): number {
  const member = scan.members.findLast((each) => each.key === key);
  return member ? Math.max(0, member.valueEnd - member.valueStart - 2) : 0;
}

/** The event as JSON; undefined if it is invalid. */
function parsed(raw: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(raw.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const parse = (raw: Buffer): JsonObject => parsed(raw) ?? {};

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});
const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads an event on its way to the caller. Sound, by far the largest share of the bytes, is measured in place. */
export function readServerEvent(raw: Buffer, isBinary = false): ServerEvent {
  if (isBinary) return other;
  const scan = scanObject(raw);
  if (!scan) return other;
  const type = textOf(raw, scan, 'type');
  const delta = deltas[type];
  if (delta !== undefined) {
    const responseId = textOf(raw, scan, 'response_id');
    const isSound = delta === 'sound';
    const text = isSound ? '' : textOf(raw, scan, 'delta');
    const soundBytes = isSound ? decodedBytes(lengthOf(scan, 'delta')) : 0;
    return { kind: 'piece', responseId, text, soundBytes };
  }
  switch (type) {
    case 'response.created':
      return { kind: 'started', responseId: word(part(parse(raw).response).id) };
    case 'response.done':
      return doneOf(part(parse(raw).response));
    case 'session.created':
    case 'session.updated':
      return { kind: 'session', facts: readSession(part(parse(raw).session)) };
    case 'conversation.item.input_audio_transcription.completed':
      return transcribedOf(parse(raw));
    case 'error':
      return { kind: 'error', code: word(part(parse(raw).error).code) };
    default:
      return other;
  }
}

const doneOf = (response: JsonObject): ServerEvent => ({
  kind: 'done',
  responseId: word(response.id),
  status: word(response.status),
  usage: plausible(readRealtimeUsage(part(response.usage))),
});

function transcribedOf({ item_id, content_index: index, usage }: JsonObject): ServerEvent {
  const item = word(item_id);
  return {
    kind: 'transcribed',
    itemId: item === '' ? '' : `${item}/${typeof index === 'number' ? index : 0}`,
    usage: plausible(readTranscriptionUsage(part(usage))),
  };
}

const textEvents = [
  'session.update',
  'transcription_session.update',
  'conversation.item.create',
  'response.create',
];

/** Reads an event on its way to the upstream: its input and its request. */
export function readClientEvent(raw: Buffer, isBinary = false): ClientEvent {
  if (isBinary) return other;
  const scan = scanObject(raw);
  if (!scan || ambiguousKey(scan) !== undefined || isIntricate(raw)) return unreadable;
  const type = textOf(raw, scan, 'type');
  if (type === 'input_audio_buffer.append')
    return { kind: 'sound', bytes: decodedBytes(lengthOf(scan, 'audio')) };
  if (type === 'input_audio_buffer.clear') return { kind: 'cleared' };
  if (!textEvents.includes(type)) return other;
  const event = parsed(raw);
  if (!event) return unreadable;
  const { session, item, response } = event;
  const found = { words: [] as string[], sound: 0, images: 0 };
  gather([session, item, response], found, 0);
  const named = namedIn('session', session) ?? namedIn('response', response);
  return {
    kind: 'text',
    words: found.words.join('\n'),
    soundBytes: decodedBytes(found.sound),
    images: found.images,
    asks: type === 'response.create',
    ...(named && { named }),
  };
}

function namedIn(member: 'session' | 'response', within: Json | undefined): ClientText['named'] {
  if (!isObject(within) || within.model === undefined || within.model === null) return undefined;
  return { member, model: within.model, within };
}

/** The event with another name for its model. */
export function renameModel(
  raw: Buffer,
  { member, within, path = [] }: NonNullable<ClientText['named']>,
  model: string,
): Buffer {
  return splice(raw, new Map([[member, JSON.stringify(withModel(within, path, model))]]));
}

const withModel = (within: JsonObject, [name, ...rest]: readonly string[], model: string): JsonObject =>
  name === undefined
    ? { ...within, model }
    : { ...within, [name]: withModel(part(within[name]), rest, model) };

/** Members with text for the model. */
const spoken = new Set(['text', 'transcript', 'instructions', 'output', 'arguments', 'description']);
const maxDepth = 8;

function gather(
  value: unknown,
  found: { words: string[]; sound: number; images: number },
  depth: number,
): void {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === 'image_url') found.images += 1;
    else if (typeof each !== 'string') gather(each, found, depth + 1);
    else if (spoken.has(key)) found.words.push(each);
    else if (key === 'audio') found.sound += each.length;
  }
}

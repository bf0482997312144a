import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import type { RelayError } from '../types/index.ts';
import {
  type ClientEvent,
  readClientEvent,
  readServerEvent,
  type ServerEvent,
  unreadable,
} from './events.ts';
import { openaiWire, type RealtimeWire } from './wire.ts';

/** Places of the model that transcribes, in a session of the present and of the older form. */
const places = [['audio', 'input', 'transcription'], ['input_audio_transcription']] as const;

/** The models that transcribe in a session, and their places. */
function placesIn(session: JsonObject): { model: string; path: readonly string[] }[] {
  return places.flatMap((path) => {
    let within = session;
    for (const name of path) within = objectOf(within[name]);
    const { model } = within;
    return model === undefined || model === null ? [] : [{ model: textOf(model), path }];
  });
}

/** The model that transcribes in a session; '' without one. */
export const transcriberOf = (session: JsonObject): string => placesIn(session)[0]?.model ?? '';

const delta = 'conversation.item.input_audio_transcription.delta';
/** Speech with a transcript that has begun; if there is more, the oldest counts as ended. */
const maxOpen = 64;

/** A session of OpenAI that only transcribes. A transcript is a response: it is held for, and charged by its usage. */
export class TranscriptionWire implements RealtimeWire {
  readonly formats = openaiWire.formats;
  readonly tokensPerImage = openaiWire.tokensPerImage;
  private readonly begun = new Set<string>();

  writeError(error: RelayError, requestId: string): Buffer {
    return openaiWire.writeError(error, requestId);
  }

  readServer(data: Buffer, isBinary: boolean): ServerEvent {
    const event = readServerEvent(data, isBinary);
    if (event.kind === 'transcribed') return this.end(event, data);
    if (event.kind !== 'other' || !data.includes(delta)) return event;
    const body = parseObject(data);
    if (body?.['type'] !== delta) return event;
    const responseId = idOf(body);
    const starts = !this.begun.has(responseId);
    if (starts && this.begun.size < maxOpen) this.begun.add(responseId);
    return {
      kind: 'piece',
      responseId,
      text: textOf(body['delta']),
      soundBytes: 0,
      ...(starts && { starts }),
    };
  }

  private end({ itemId, usage }: Extract<ServerEvent, { kind: 'transcribed' }>, data: Buffer): ServerEvent {
    const done = { kind: 'done', responseId: itemId, status: 'completed', usage } as const;
    if (this.begun.delete(itemId)) return done;
    const text = textOf(parseObject(data)?.['transcript']);
    return { ...done, last: { kind: 'piece', responseId: itemId, text, soundBytes: 0, starts: true } };
  }

  readClient(data: Buffer, isBinary: boolean): ClientEvent {
    const event = readClientEvent(data, isBinary);
    if (event.kind !== 'text') return event;
    const session = objectOf(parseObject(data)?.['session']);
    const [place, ...others] = placesIn(session);
    // One model is checked, and a vendor may read the other.
    if (place && (event.named || others.length > 0)) return unreadable;
    return place ? { ...event, named: { member: 'session', within: session, ...place } } : event;
  }
}

/** As the id of a finished transcript. */
const idOf = ({ item_id: item, content_index: index }: JsonObject): string =>
  textOf(item) === '' ? '' : `${textOf(item)}/${typeof index === 'number' ? index : 0}`;

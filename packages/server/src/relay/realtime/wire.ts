import { errorObject } from '../families/openai/index.ts';
import type { RelayError } from '../types/index.ts';
import { type ClientEvent, readClientEvent, readServerEvent, type ServerEvent } from './events.ts';
import { pcm16, type SoundFormat } from './sound.ts';

/** The protocol of a session: what frames mean for the gateway. */
export interface RealtimeWire {
  /** Formats of sound until the session names others. */
  readonly formats: { readonly input: SoundFormat; readonly output: SoundFormat };
  /** Tokens assumed for an image: sizes the hold, never bills. */
  readonly tokensPerImage: number;
  /** The meaning of an upstream's frame, and the bytes that the caller gets instead of it. */
  readServer(data: Buffer, isBinary: boolean): ServerEvent & { instead?: Buffer };
  /** The meaning of a caller's frame. */
  readClient(data: Buffer, isBinary: boolean): ClientEvent;
  /**
   * An error as an event; absent in a protocol without such events, in which an error ends the session, as the reason of
   * the close.
   */
  writeError?(error: RelayError, requestId: string): Buffer;
}

/** OpenAI's protocol, which xAI and Azure share. */
export const openaiWire = {
  formats: { input: pcm16, output: pcm16 },
  tokensPerImage: 1_200,
  readServer: readServerEvent,
  readClient: readClientEvent,
  // docs/compatibility.md#relay-errors
  writeError: (error: RelayError, requestId: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: 'error',
        event_id: `evt_${requestId}`,
        error: errorObject(error, requestId),
      }),
    ),
} satisfies RealtimeWire;

import type { Frame } from '../../lib/websocket/frame-socket.ts';
import { type ClientText, renameModel } from '../../relay/realtime/events.ts';
import type { RealtimeWire } from '../../relay/realtime/wire.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import type { SessionContext } from './session-parts.ts';
import type { GatewayDeps } from '../call/index.ts';
import type { SessionMeter } from './session-meter.ts';

/** Result for a caller's frame: the frame to send, and whether it increases the cost of the session. */
export interface ClientEvent {
  frame: Frame;
  costs: boolean;
}

/** Dependencies of reading the caller's events. */
export interface ClientEventsParts {
  deps: Pick<GatewayDeps, 'forbiddenWord'>;
  context: SessionContext;
  wire: Pick<RealtimeWire, 'readClient'>;
}

/** Reads the events of a session's caller: counts them, and refuses those that may not be sent. */
export class ClientEvents {
  /** The session's model by its vendor's name; '' before it is known. */
  vendorModel = '';
  private readonly parts: ClientEventsParts;
  private readonly sessionMeter: SessionMeter;

  constructor(parts: ClientEventsParts, sessionMeter: SessionMeter) {
    this.parts = parts;
    this.sessionMeter = sessionMeter;
  }

  /** The frame to send, or the reason why none is sent. */
  read(frame: Frame): ClientEvent | RelayError {
    const event = this.parts.wire.readClient(frame.data, frame.isBinary);
    if (event.kind === 'unreadable') return unreadable();
    if (event.kind === 'text') return this.readText(frame, event);
    if (event.kind === 'cleared') this.sessionMeter.clearSound();
    if (event.kind !== 'sound') return { frame, costs: false };
    this.sessionMeter.addInput('', event.bytes);
    return { frame, costs: true };
  }

  private readText(frame: Frame, event: ClientText): ClientEvent | RelayError {
    const { deps, context } = this.parts;
    const word = deps.forbiddenWord({ ...context.relayCall, json: { input: event.words } });
    if (word !== undefined) return forbidden();
    const named = this.named(frame, event);
    if (!named) return otherModel(context.relayCall.facts.model);
    this.sessionMeter.addInput(event.words, event.soundBytes, event.images);
    if (event.asks) this.sessionMeter.requestResponse();
    return { frame: named, costs: true };
  }

  /**
   * The frame with the model under the channel's name for it; undefined if it has another model, which has another
   * price. Clients repeat the model as they requested it or as the upstream reported it.
   */
  private named(frame: Frame, { named }: ClientText): Frame | undefined {
    if (!named) return frame;
    const { relayCall, upstreamModel } = this.parts.context;
    const known = [relayCall.facts.model, upstreamModel, this.vendorModel];
    if (typeof named.model !== 'string' || named.model === '' || !known.includes(named.model))
      return undefined;
    const model = named.model === relayCall.facts.model ? upstreamModel : named.model;
    return { ...frame, data: renameModel(frame.data, named, model) };
  }
}

const unreadable = (): RelayError => refuse('invalid_event');

const forbidden = (): RelayError => refuse('sensitive_words_detected');

const otherModel = (model: string): RelayError => refuse('session_model_fixed', { model });

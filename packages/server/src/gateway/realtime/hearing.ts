import type { Frame } from '../../lib/frame-socket.ts';
import { type ClientText, readClientEvent, renameModel } from '../../relay/realtime/events.ts';
import { refuse, type RelayError } from '../../relay/model/relay-error.ts';
import type { GatewayDeps } from '../deps.ts';
import type { SessionGround } from './charge.ts';
import type { Tally } from './tally.ts';

/** What becomes of a caller's frame: the frame to be sent, and whether it makes the session dearer. */
export interface Heard {
  frame: Frame;
  costs: boolean;
}

/** What of a session is needed to read what its caller says. */
export interface HearingParts {
  deps: Pick<GatewayDeps, 'forbiddenWord'>;
  ground: SessionGround;
}

/** Reads what the caller of a session says: counts it, and refuses what may not go on. */
export class Hearing {
  /** The session's model as its vendor calls it; '' before it is known. */
  vendorModel = '';
  private readonly parts: HearingParts;
  private readonly tally: Tally;

  constructor(parts: HearingParts, tally: Tally) {
    this.parts = parts;
    this.tally = tally;
  }

  /** What is to be sent on, or why nothing is. */
  hear(frame: Frame): Heard | RelayError {
    if (frame.isBinary) return { frame, costs: false };
    const event = readClientEvent(frame.data);
    if (event.kind === 'unreadable') return unreadable();
    if (event.kind === 'text') return this.hearText(frame, event);
    if (event.kind === 'cleared') this.tally.clearSound();
    if (event.kind !== 'sound') return { frame, costs: false };
    this.tally.addInput('', event.bytes);
    return { frame, costs: true };
  }

  private hearText(frame: Frame, event: ClientText): Heard | RelayError {
    const { deps, ground } = this.parts;
    const word = deps.forbiddenWord({ ...ground.exchange, json: { input: event.words } });
    if (word !== undefined) return forbidden();
    const named = this.named(frame, event);
    if (!named) return otherModel(ground.exchange.facts.model);
    this.tally.addInput(event.words, event.soundBytes, event.images);
    if (event.asks) this.tally.ask();
    return { frame: named, costs: true };
  }

  /**
   * The frame with the model under the channel's name for it; undefined where it names another one, which has another
   * price. Clients repeat the model, as they asked for it or as they were told it.
   */
  private named(frame: Frame, { named }: ClientText): Frame | undefined {
    if (!named) return frame;
    const { exchange, upstreamModel } = this.parts.ground;
    const known = [exchange.facts.model, upstreamModel, this.vendorModel];
    if (typeof named.model !== 'string' || named.model === '' || !known.includes(named.model))
      return undefined;
    const model = named.model === exchange.facts.model ? upstreamModel : named.model;
    return { ...frame, data: renameModel(frame.data, named, model) };
  }
}

const unreadable = (): RelayError =>
  refuse(400, 'invalid_event', 'this event is not valid JSON, or ambiguous');

const forbidden = (): RelayError => refuse(400, 'sensitive_words_detected', 'sensitive words detected');

const otherModel = (model: string): RelayError =>
  refuse(403, 'model_not_allowed', `the model of this session is ${model} and cannot be changed`);

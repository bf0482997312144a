import { faultPoint } from '../../lib/fault-point.ts';
import type { Frame } from '../../lib/websocket/frame-socket.ts';
import { redact } from '../../lib/scrub.ts';
import { readServerEvent, type ServerEvent } from '../../relay/realtime/events.ts';
import { admitRate } from '../entrance/index.ts';
import type { ClientEvents } from './client-events.ts';
import {
  atCeiling,
  type Closing,
  closingFor,
  disconnected,
  outOfQuota,
  refused,
  withoutSecrets,
} from './end.ts';
import type { IdleTimer } from './idle-timer.ts';
import type { SessionBilling } from './session-billing.ts';
import type { SessionFlow } from './session-flow.ts';
import type { SessionMeter } from './session-meter.ts';
import type { SessionHandle, SessionParts } from './session-parts.ts';

type Charged = Extract<ServerEvent, { kind: 'done' | 'transcribed' }>;
type Piece = Extract<ServerEvent, { kind: 'text' | 'tool' | 'sound' }>;

/** State that the upstream's side shares with the rest of its session. */
interface UpstreamParts extends SessionParts {
  sessionMeter: SessionMeter;
  billing: SessionBilling;
  flow: SessionFlow;
  idleTimer: Pick<IdleTimer, 'resetUpstream' | 'restartUpstream'>;
  clientEvents: Pick<ClientEvents, 'vendorModel'>;
}

/**
 * From the upstream to the caller. A piece of a response is sent when the hold covers it, and `response.done` when its
 * charge is durable; until then the upstream is paused, and everything it sends later waits as well.
 */
export class UpstreamPump {
  private readonly parts: UpstreamParts;
  private readonly session: SessionHandle;
  private responses = 0;
  /** Kind of the upstream's last event: an error event explains the close that follows it. */
  private lastKind: ServerEvent['kind'] = 'other';

  constructor(parts: UpstreamParts, session: SessionHandle) {
    this.parts = parts;
    this.session = session;
  }

  /** Takes one frame of the upstream. */
  take(frame: Frame): void {
    if (this.parts.flow.isOver) return;
    this.parts.idleTimer.resetUpstream();
    const event: ServerEvent = frame.isBinary ? { kind: 'other' } : readServerEvent(frame.data);
    this.lastKind = event.kind;
    if (event.kind === 'error') this.parts.sessionMeter.requestRefused();
    if (event.kind === 'done' || event.kind === 'transcribed') return this.chargeFor(event, frame);
    if (event.kind === 'started') return this.begin(event.responseId, frame);
    if (event.kind === 'session') this.applySession(event.facts);
    if (event.kind === 'text' || event.kind === 'tool' || event.kind === 'sound') this.deliver(event, frame);
    else this.pass(event.kind === 'error' ? withoutSecrets(frame, this.parts.secrets) : frame);
  }

  private applySession(facts: Extract<ServerEvent, { kind: 'session' }>['facts']): void {
    this.parts.sessionMeter.setFormats(facts);
    this.parts.billing.transcriptionModel = facts.transcriptionModel;
    this.parts.clientEvents.vendorModel = facts.model;
  }

  /** The first response was counted at admission; each further one counts against the rate limits like a call. */
  private begin(responseId: string, frame: Frame): void {
    const { deps, context } = this.parts;
    this.responses += 1;
    const isFirst = this.responses === 1;
    const admitted = isFirst
      ? undefined
      : admitRate(deps.rate, context.relayCall.caller, context.admission.group);
    const start = (): void => {
      this.parts.sessionMeter.startResponse(responseId);
      this.pass(frame);
    };
    if (!admitted) return start();
    this.wait(async () => {
      try {
        await admitted;
      } catch (error) {
        return this.session.end(refused(this.session.asError(error)));
      }
      if (this.parts.flow.isOver) return;
      start();
      this.resume();
    });
  }

  private pass(frame: Frame): void {
    const { client, upstream } = this.parts;
    client.send(frame);
    if (client.isFull) upstream.pause();
  }

  /** Sends a piece of a response when the hold covers it; until then the upstream waits. */
  private deliver(piece: Piece, frame: Frame): void {
    const { sessionHold } = this.parts;
    const marking = sessionHold.whenMarked();
    if (!marking && sessionHold.coverOrExtend(this.parts.sessionMeter.maxUsageWith(piece), true))
      return this.send(piece, frame);
    this.wait(async () => {
      await marking;
      await this.parts.sessionMeter.refine();
      while (
        !this.parts.flow.isOver &&
        !sessionHold.coverOrExtend(this.parts.sessionMeter.maxUsageWith(piece))
      ) {
        if (!(await sessionHold.waitForExtension()))
          return this.session.end(closingFor(sessionHold.shortage));
      }
      if (this.parts.flow.isOver) return;
      this.send(piece, frame);
      this.resume();
    });
  }

  /** Waits for the ledger or the rate limits, in order; the upstream is paused until `resume`. */
  private wait(work: () => Promise<void>): void {
    this.parts.flow.take('wait');
    this.parts.upstream.pause();
    this.session.sequentially(work);
  }

  private send(piece: Piece, frame: Frame): void {
    const { sessionHold } = this.parts;
    this.parts.sessionMeter.deliver(piece);
    this.pass(frame);
    faultPoint('answer-flowing');
    sessionHold.noteDelivered(() => this.parts.sessionMeter.countDelivered());
  }

  /** Charges a response that ended, sends its event, and takes the next hold; the upstream is paused meanwhile. */
  private chargeFor(event: Charged, frame: Frame): void {
    this.wait(async () => {
      const isPaid = await this.parts.billing.charge(event);
      this.parts.client.send(frame);
      faultPoint('end-sent');
      if (!isPaid)
        return this.session.end(this.parts.sessionHold.ceilingLeft === 0 ? atCeiling() : outOfQuota());
      if (!this.parts.flow.isOver) await this.takeNextHold();
    });
  }

  /** Takes the hold of the next response before it starts, after checking the key again, and waits until it is durable. */
  private async takeNextHold(): Promise<void> {
    const { sessionHold } = this.parts;
    if (!sessionHold.isSpent) return this.resume();
    await this.parts.confirm();
    const { durable, amount } = await sessionHold.open(this.parts.sessionMeter.nextInput());
    this.parts.context.relayCall.trace?.held(amount);
    await durable;
    this.resume();
  }

  private resume(): void {
    if (!this.parts.flow.take('resume')) return;
    this.session.endIfLeaving();
    if (!this.parts.flow.isOver) this.resumeUpstream();
  }

  /** Resumes reading from the upstream, unless the caller's buffer is full or the ledger has not answered. */
  resumeUpstream(): void {
    this.parts.idleTimer.restartUpstream();
    if (!this.parts.flow.isWaiting && !this.parts.client.isFull) this.parts.upstream.resume();
  }

  /** End of the session after the upstream closed its socket. */
  closingAfter(code: number, reason: string): Closing {
    const words = redact(reason, this.parts.secrets);
    const isClean = (code === 1000 || code === 1001) && !this.parts.sessionMeter.isAnswering;
    if (isClean) return { reason: 'complete', code, words };
    return disconnected(code, words, this.lastKind === 'error');
  }
}

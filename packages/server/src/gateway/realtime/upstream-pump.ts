import { faultPoint } from '../../lib/fault-point.ts';
import type { Frame } from '../../lib/websocket/frame-socket.ts';
import { redact } from '../../lib/scrub.ts';
import type { ResponsePiece, ServerEvent } from '../../relay/realtime/events.ts';
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
  take(received: Frame): void {
    if (this.parts.flow.isOver) return;
    this.parts.idleTimer.resetUpstream();
    const event = this.parts.wire.readServer(received.data, received.isBinary);
    const frame = event.instead ? { ...received, data: event.instead } : received;
    this.lastKind = event.kind;
    if (event.kind === 'error') this.parts.sessionMeter.requestRefused();
    if (event.kind === 'done' || event.kind === 'transcribed') return this.chargeFor(event, frame);
    if (event.kind === 'started') return this.begin(event.responseId, frame);
    if (event.kind === 'session') this.applySession(event.facts);
    if (event.kind === 'piece') this.deliver(event, frame);
    else this.pass(event.kind === 'error' ? withoutSecrets(frame, this.parts.secrets) : frame);
  }

  private applySession(facts: Extract<ServerEvent, { kind: 'session' }>['facts']): void {
    this.parts.sessionMeter.setFormats(facts);
    this.parts.billing.transcriptionModel = facts.transcriptionModel;
    this.parts.clientEvents.vendorModel = facts.model;
  }

  /** The first response was counted at admission; each further one counts against the rate limits like a call. */
  private begin(responseId: string, frame: Frame): void {
    const start = (): void => {
      this.parts.sessionMeter.startResponse(responseId);
      this.pass(frame);
    };
    if (this.responses === 0) {
      this.responses = 1;
      return start();
    }
    const admitted = this.admitResponse();
    if (!admitted) return start();
    this.wait(async () => {
      if (!(await admitted)) return;
      start();
      this.resume();
    });
  }

  /** Undefined if there is nothing to wait for; false if the session has ended. */
  private admitResponse(): Promise<boolean> | undefined {
    const { deps, context, flow } = this.parts;
    this.responses += 1;
    if (this.responses === 1) return undefined;
    return admitRate(deps.rate, context.relayCall.caller, context.admission.group)?.then(
      () => !flow.isOver,
      (error: unknown) => {
        this.session.end(refused(this.session.asError(error)));
        return false;
      },
    );
  }

  private pass(frame: Frame): void {
    const { client, upstream } = this.parts;
    client.send(frame);
    if (client.isFull) upstream.pause();
  }

  /** Sends a piece of a response when the hold covers it; until then the upstream waits. */
  private deliver(piece: ResponsePiece, frame: Frame): void {
    const { sessionHold, sessionMeter } = this.parts;
    const mayWait = piece.starts ?? sessionHold.whenMarked();
    if (!mayWait && sessionHold.coverOrExtend(sessionMeter.maxUsageWith(piece), true))
      return this.send(piece, frame);
    this.wait(async () => {
      if (!(await this.cover(piece))) return;
      this.send(piece, frame);
      this.resume();
    });
  }

  /** Waits until the hold covers a piece; false if the session has ended. */
  private async cover(piece: ResponsePiece): Promise<boolean> {
    const { sessionHold, sessionMeter, flow } = this.parts;
    if (piece.settles !== undefined) {
      const ended = { responseId: piece.settles, status: 'completed', usage: undefined };
      if (!(await this.parts.billing.charge({ kind: 'done', ...ended }))) {
        this.endUnpaid();
        return false;
      }
      await this.takeNextHold();
    }
    if (piece.starts && (await this.admitResponse()) === false) return false;
    await sessionHold.whenMarked();
    await sessionMeter.refine();
    while (!flow.isOver && !sessionHold.coverOrExtend(sessionMeter.maxUsageWith(piece))) {
      if (await sessionHold.waitForExtension()) continue;
      this.session.end(closingFor(sessionHold.shortage));
      return false;
    }
    return !flow.isOver;
  }

  /** Waits for the ledger or the rate limits, in order; the upstream is paused until `resume`. */
  private wait(work: () => Promise<void>): void {
    this.parts.flow.take('wait');
    this.parts.upstream.pause();
    this.session.sequentially(work);
  }

  private send(piece: ResponsePiece, frame: Frame): void {
    const { sessionHold } = this.parts;
    this.parts.sessionMeter.deliver(piece);
    this.pass(frame);
    faultPoint('answer-flowing');
    sessionHold.noteDelivered(() => this.parts.sessionMeter.countDelivered());
  }

  /** Charges a response that ended, sends its event, and takes the next hold; the upstream is paused meanwhile. */
  private chargeFor(event: Charged, frame: Frame): void {
    this.wait(async () => {
      const last = event.kind === 'done' ? event.last : undefined;
      const isCovered = !last || (await this.cover(last));
      // A response of which nothing was delivered is free.
      if (!isCovered && last?.starts) return;
      if (last && isCovered) this.parts.sessionMeter.deliver(last);
      const isPaid = await this.parts.billing.charge(event);
      if (isCovered) this.parts.client.send(frame);
      faultPoint('end-sent');
      if (!isPaid) return this.endUnpaid();
      if (this.parts.flow.isOver) return;
      await this.takeNextHold();
      this.resume();
    });
  }

  private endUnpaid(): void {
    this.session.end(this.parts.sessionHold.ceilingLeft === 0 ? atCeiling() : outOfQuota());
  }

  /** Takes the hold of the next response before it starts, after checking the key again, and waits until it is durable. */
  private async takeNextHold(): Promise<void> {
    const { sessionHold } = this.parts;
    if (!sessionHold.isSpent) return;
    await this.parts.confirm();
    const { durable, amount } = await sessionHold.open(this.parts.sessionMeter.nextInput());
    this.parts.context.relayCall.trace?.held(amount);
    await durable;
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
    // Without error events, a close explains itself.
    const isExplained = this.lastKind === 'error' || (!this.parts.wire.writeError && code !== 1006);
    return disconnected(code, words, isExplained);
  }
}

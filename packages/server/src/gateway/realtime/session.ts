import { faultPoint } from '../../lib/fault-point.ts';
import { type Frame, isSendable } from '../../lib/websocket/frame-socket.ts';
import { redact } from '../../lib/scrub.ts';
import { errorObject } from '../../relay/families/openai/index.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { readServerEvent, type ServerEvent } from '../../relay/realtime/events.ts';
import { errorEvent } from '../../relay/realtime/handshake.ts';
import { publicError, toRelayError } from '../failover/index.ts';
import { callInLog, languageOf } from '../call/index.ts';
import { admitRate } from '../entrance/index.ts';
import {
  withoutSecrets,
  type Closing,
  closingFor,
  failed,
  disconnected,
  outOfQuota,
  refused,
  shuttingDown,
} from './end.ts';
import type { SessionParts } from './session-parts.ts';
import { SessionMeter } from './session-meter.ts';
import { IdleTimer } from './idle-timer.ts';
import { ClientPump } from './client-pump.ts';
import { SessionFlow } from './session-flow.ts';
import { SessionBilling } from './session-billing.ts';

type Charged = Extract<ServerEvent, { kind: 'done' | 'transcribed' }>;
type Piece = Extract<ServerEvent, { kind: 'text' | 'tool' | 'sound' }>;

/**
 * One realtime session. Frames pass unchanged in both directions and are also parsed. A `response.done` waits until its
 * charge is durable, and everything the upstream sends after it waits as well. However the session ends, what was
 * delivered is charged, the rest of the hold is returned, and both sockets are closed.
 */
export class Session {
  readonly isDraining = false;
  index = -1;
  private readonly parts: SessionParts;
  private readonly sessionMeter: SessionMeter;
  private readonly billing: SessionBilling;
  private readonly caller: ClientPump;
  /** Operations that run one after the other: charges, and finally the end. */
  private work: Promise<void> = Promise.resolve();
  private readonly flow = new SessionFlow();
  private responses = 0;
  /** Kind of the upstream's last event: an error event explains the close that follows it. */
  private lastKind: ServerEvent['kind'] = 'other';
  private readonly idleTimer: IdleTimer;
  private over: () => void = () => undefined;
  /** Resolves when everything is charged and both sockets are gone. Never rejects. */
  readonly finished: Promise<void>;

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { deps, context, limits } = parts;
    this.sessionMeter = new SessionMeter(context.relayCall.facts.model, deps.countTokens, deps.clock);
    this.billing = new SessionBilling(parts, this.sessionMeter);
    this.caller = new ClientPump(parts, this.sessionMeter, {
      hasEnded: () => this.flow.isOver,
      end: (closing) => this.finish(closing),
      sendError: (error) => this.sendError(error),
      sequentially: (work) => this.sequentially(work),
    });
    this.finished = new Promise((resolve) => {
      this.over = resolve;
    });
    this.idleTimer = new IdleTimer({
      limits,
      isHeldUp: () =>
        this.flow.isOver || this.flow.isAsking || this.caller.isWaiting || this.parts.client.isFull,
      isAnswering: () => this.sessionMeter.isAnswering,
      end: (closing) => this.finish(closing),
    });
  }

  /** Starts passing frames. */
  start(): void {
    const { client, upstream } = this.parts;
    upstream.listen({
      onFrame: (frame) => this.attempt(() => this.fromUpstream(frame)),
      onRoom: () => this.caller.resumeClient(),
      onClose: (code, reason) => this.onUpstreamClosed(code, reason),
    });
    client.listen({
      onFrame: (frame) => this.attempt(() => this.fromClient(frame)),
      onRoom: () => this.resumeUpstream(),
      onClose: () =>
        this.finish({
          reason: this.sessionMeter.isAnswering ? 'client_gone' : 'complete',
          code: 1000,
          words: '',
        }),
    });
  }

  /** The process stops: at once, or (`whenIdle`) as soon as no response is under way. */
  end(_reason: 'shutdown'): void {
    this.finish(shuttingDown());
  }

  endWhenIdle(): void {
    this.flow.take('leave');
    this.leaveIfIdle();
  }

  private leaveIfIdle(): void {
    if (this.flow.state === 'leaving' && !this.sessionMeter.isAnswering) this.finish(shuttingDown());
  }

  /** An exception while a frame is handled ends its session, not the process. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.finish(failed(this.asError(error)));
    }
  }

  private fromClient(frame: Frame): void {
    if (this.flow.isOver) return;
    this.idleTimer.reset();
    this.caller.take(frame);
  }

  private fromUpstream(frame: Frame): void {
    if (this.flow.isOver) return;
    this.idleTimer.resetUpstream();
    const event: ServerEvent = frame.isBinary ? { kind: 'other' } : readServerEvent(frame.data);
    this.lastKind = event.kind;
    if (event.kind === 'error') this.sessionMeter.refused();
    if (event.kind === 'done' || event.kind === 'transcribed') return this.chargeFor(event, frame);
    if (event.kind === 'started') return this.begin(event.responseId, frame);
    if (event.kind === 'session') this.applySession(event.facts);
    if (event.kind === 'text' || event.kind === 'tool' || event.kind === 'sound') this.deliver(event, frame);
    else this.pass(event.kind === 'error' ? withoutSecrets(frame, this.parts.secrets) : frame);
  }

  private applySession(facts: Extract<ServerEvent, { kind: 'session' }>['facts']): void {
    this.sessionMeter.session(facts);
    this.billing.transcriptionModel = facts.transcriptionModel;
    this.caller.clientEvents.vendorModel = facts.model;
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
      this.sessionMeter.start(responseId);
      this.pass(frame);
    };
    if (!admitted) return start();
    this.ask(async () => {
      try {
        await admitted;
      } catch (error) {
        return this.finish(refused(this.asError(error)));
      }
      if (this.flow.isOver) return;
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
    if (sessionHold.covers(this.sessionMeter.maxUsageWith(piece), true)) return this.send(piece, frame);
    this.ask(async () => {
      await this.sessionMeter.refine();
      while (!this.flow.isOver && !sessionHold.covers(this.sessionMeter.maxUsageWith(piece))) {
        if (!(await sessionHold.grown())) return this.finish(outOfQuota());
      }
      if (this.flow.isOver) return;
      this.send(piece, frame);
      this.resume();
    });
  }

  /** Waits for the ledger or the rate limits, in order; the upstream is paused until `resume`. */
  private ask(work: () => Promise<void>): void {
    this.flow.take('ask');
    this.parts.upstream.pause();
    this.sequentially(work);
  }

  /** Runs `work` after all earlier operations. If it fails, the session ends and is still charged. */
  private sequentially(work: () => Promise<void>): void {
    this.work = this.work.then(work).catch((error: unknown) => this.finish(closingFor(this.asError(error))));
  }

  private send(piece: Piece, frame: Frame): void {
    const { sessionHold } = this.parts;
    this.sessionMeter.deliver(piece);
    this.pass(frame);
    faultPoint('answer-flowing');
    if (!sessionHold.isMarkDue()) return;
    const { requestId } = sessionHold;
    // Nothing waits for a progress mark.
    this.sessionMeter.countDelivered().then(
      (usage) => usage && sessionHold.mark(requestId, usage),
      () => undefined,
    );
  }

  /** Charges a response that ended, sends its event, and takes the next hold; the upstream is paused meanwhile. */
  private chargeFor(event: Charged, frame: Frame): void {
    this.ask(async () => {
      const isPaid = await this.billing.charge(event);
      this.parts.client.send(frame);
      faultPoint('end-sent');
      if (!isPaid) return this.finish(outOfQuota());
      if (!this.flow.isOver) await this.takeNextHold();
    });
  }

  /** Takes the hold of the next response before it starts, after checking the key again, and waits until it is durable. */
  private async takeNextHold(): Promise<void> {
    const { sessionHold } = this.parts;
    if (!sessionHold.isSpent) return this.resume();
    await this.parts.confirm();
    const { durable, amount } = await sessionHold.open(this.sessionMeter.ahead());
    this.parts.context.relayCall.trace?.held(amount);
    await durable;
    this.resume();
  }

  private resume(): void {
    if (!this.flow.take('answered')) return;
    this.leaveIfIdle();
    if (!this.flow.isOver) this.resumeUpstream();
  }

  private resumeUpstream(): void {
    this.idleTimer.restartUpstream();
    if (!this.flow.isAsking && !this.parts.client.isFull) this.parts.upstream.resume();
  }

  private onUpstreamClosed(code: number, reason: string): void {
    const words = redact(reason, this.parts.secrets);
    const isClean = (code === 1000 || code === 1001) && !this.sessionMeter.isAnswering;
    this.finish(
      isClean ? { reason: 'complete', code, words } : disconnected(code, words, this.lastKind === 'error'),
    );
  }

  /** Ends the session once; the first reason stands. */
  private finish(closing: Closing): void {
    if (!this.flow.take('end')) return;
    this.idleTimer.close();
    const { client, upstream } = this.parts;
    // The upstream is closed first, so that it does not continue to produce.
    const gone = upstream.close(1000, '');
    this.work = this.work
      .then(() => this.billing.chargeRest(closing.reason))
      .catch((error: unknown) => this.logFailure(error))
      .then(() => {
        if (closing.error) this.sendError(closing.error);
        return Promise.all([
          gone,
          client.close(isSendable(closing.code) ? closing.code : 1011, closing.words),
        ]);
      })
      .then(
        () => this.over(),
        () => this.over(),
      );
  }

  private sendError(error: RelayError): void {
    const { deps, context } = this.parts;
    const { requestId, req } = context.relayCall;
    const shown = publicError(error).in(languageOf(deps, req));
    const data = errorEvent(errorObject(shown, requestId), requestId);
    this.parts.client.send({ data, isBinary: false });
  }

  private asError(error: unknown): RelayError {
    return toRelayError(this.parts.deps.log, this.parts.context.relayCall, error);
  }

  private logFailure(error: unknown): void {
    this.parts.deps.log.error(
      { ...callInLog(this.parts.context.relayCall), err: error },
      'a session could not be settled; recovery will',
    );
  }
}

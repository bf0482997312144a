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
  hungUp,
  outOfQuota,
  refused,
  shuttingDown,
} from './end.ts';
import type { SessionParts } from './session-parts.ts';
import { SessionMeter } from './session-meter.ts';
import { SilenceWatch } from './silence-watch.ts';
import { ClientPump } from './client-pump.ts';
import { SessionFlow } from './session-flow.ts';
import { SessionBilling } from './session-billing.ts';

type Charged = Extract<ServerEvent, { kind: 'done' | 'transcribed' }>;
type Piece = Extract<ServerEvent, { kind: 'text' | 'tool' | 'sound' }>;

/**
 * One realtime session: frames pass untouched both ways, what they mean is read beside. A `response.done` waits until
 * its charge is durable; whatever the upstream sends meanwhile waits behind it. However the session ends, what was
 * delivered is charged, the hold goes back, and both sockets are closed.
 */
export class Session {
  readonly isDraining = false;
  place = -1;
  private readonly parts: SessionParts;
  private readonly sessionMeter: SessionMeter;
  private readonly billing: SessionBilling;
  private readonly caller: ClientPump;
  /** What runs one after the other: charges, and at last the end. */
  private work: Promise<void> = Promise.resolve();
  private readonly flow = new SessionFlow();
  private responses = 0;
  /** What the upstream said last: who complains and hangs up has explained it. */
  private heard: ServerEvent['kind'] = 'other';
  private readonly silence: SilenceWatch;
  private over: () => void = () => undefined;
  /** Resolves when everything is charged and both sockets are gone. Never rejects. */
  readonly finished: Promise<void>;

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { deps, ground, limits } = parts;
    this.sessionMeter = new SessionMeter(ground.relayCall.facts.model, deps.countTokens, deps.clock);
    this.billing = new SessionBilling(parts, this.sessionMeter);
    this.caller = new ClientPump(parts, this.sessionMeter, {
      hasEnded: () => this.flow.isOver,
      end: (closing) => this.finish(closing),
      sendError: (error) => this.sendError(error),
      inTurn: (work) => this.inTurn(work),
    });
    this.finished = new Promise((resolve) => {
      this.over = resolve;
    });
    this.silence = new SilenceWatch({
      limits,
      isHeldUp: () =>
        this.flow.isOver || this.flow.isAsking || this.caller.isWaiting || this.parts.client.isFull,
      isAnswering: () => this.sessionMeter.isAnswering,
      end: (closing) => this.finish(closing),
    });
  }

  /** Lets the frames flow. */
  start(): void {
    const { client, upstream } = this.parts;
    upstream.listen({
      onFrame: (frame) => this.attempt(() => this.fromUpstream(frame)),
      onRoom: () => this.caller.resumeClient(),
      onClose: (code, reason) => this.upstreamGone(code, reason),
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

  /** What goes wrong with one frame ends its session, and not the process. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.finish(failed(this.asError(error)));
    }
  }

  private fromClient(frame: Frame): void {
    if (this.flow.isOver) return;
    this.silence.heard();
    this.caller.take(frame);
  }

  private fromUpstream(frame: Frame): void {
    if (this.flow.isOver) return;
    this.silence.heardUpstream();
    const event: ServerEvent = frame.isBinary ? { kind: 'other' } : readServerEvent(frame.data);
    this.heard = event.kind;
    if (event.kind === 'error') this.sessionMeter.refused();
    if (event.kind === 'done' || event.kind === 'transcribed') return this.chargeFor(event, frame);
    if (event.kind === 'started') return this.begin(event.responseId, frame);
    if (event.kind === 'session') this.learn(event.facts);
    if (event.kind === 'text' || event.kind === 'tool' || event.kind === 'sound') this.deliver(event, frame);
    else this.pass(event.kind === 'error' ? withoutSecrets(frame, this.parts.secrets) : frame);
  }

  private learn(facts: Extract<ServerEvent, { kind: 'session' }>['facts']): void {
    this.sessionMeter.session(facts);
    this.billing.transcriptionModel = facts.transcriptionModel;
    this.caller.clientEvents.vendorModel = facts.model;
  }

  /** The first response was counted at the door; each further one counts against the limits as a call does. */
  private begin(responseId: string, frame: Frame): void {
    const { deps, ground } = this.parts;
    this.responses += 1;
    const isFirst = this.responses === 1;
    const judged = isFirst
      ? undefined
      : admitRate(deps.rate, ground.relayCall.caller, ground.admission.group);
    const start = (): void => {
      this.sessionMeter.start(responseId);
      this.pass(frame);
    };
    if (!judged) return start();
    this.ask(async () => {
      try {
        await judged;
      } catch (error) {
        return this.finish(refused(this.asError(error)));
      }
      if (this.flow.isOver) return;
      start();
      this.goOn();
    });
  }

  private pass(frame: Frame): void {
    const { client, upstream } = this.parts;
    client.send(frame);
    if (client.isFull) upstream.pause();
  }

  /** A piece of a response leaves when it is paid for; until then the upstream waits. */
  private deliver(piece: Piece, frame: Frame): void {
    const { sessionHold } = this.parts;
    if (sessionHold.covers(this.sessionMeter.mostWith(piece), true)) return this.hand(piece, frame);
    this.ask(async () => {
      await this.sessionMeter.sharpen();
      while (!this.flow.isOver && !sessionHold.covers(this.sessionMeter.mostWith(piece))) {
        if (!(await sessionHold.grown())) return this.finish(outOfQuota());
      }
      if (this.flow.isOver) return;
      this.hand(piece, frame);
      this.goOn();
    });
  }

  /** Asks the ledger or the limits, in turn; the upstream waits until `goOn`. */
  private ask(work: () => Promise<void>): void {
    this.flow.take('ask');
    this.parts.upstream.pause();
    this.inTurn(work);
  }

  /** Does something when all before it is done. What fails ends the session, which is charged all the same. */
  private inTurn(work: () => Promise<void>): void {
    this.work = this.work.then(work).catch((error: unknown) => this.finish(closingFor(this.asError(error))));
  }

  private hand(piece: Piece, frame: Frame): void {
    const { sessionHold } = this.parts;
    this.sessionMeter.deliver(piece);
    this.pass(frame);
    faultPoint('answer-flowing');
    if (!sessionHold.isMarkDue()) return;
    const { requestId } = sessionHold;
    // The count runs behind; nobody waits for a mark.
    this.sessionMeter.countDelivered().then(
      (usage) => usage && sessionHold.mark(requestId, usage),
      () => undefined,
    );
  }

  /** Charges for what ended, lets its event go, and takes the next hold; the upstream waits. */
  private chargeFor(event: Charged, frame: Frame): void {
    this.ask(async () => {
      const isPaid = await this.billing.charge(event);
      this.parts.client.send(frame);
      faultPoint('end-sent');
      if (!isPaid) return this.finish(outOfQuota());
      if (!this.flow.isOver) await this.takeNextHold();
    });
  }

  /** The next response is paid for before it begins: the key still stands, the balance holds, the disk knows. */
  private async takeNextHold(): Promise<void> {
    const { sessionHold } = this.parts;
    if (!sessionHold.isSpent) return this.goOn();
    await this.parts.confirm();
    const { durable, amount } = await sessionHold.open(this.sessionMeter.ahead());
    this.parts.ground.relayCall.trace?.held(amount);
    await durable;
    this.goOn();
  }

  private goOn(): void {
    if (!this.flow.take('answered')) return;
    this.leaveIfIdle();
    if (!this.flow.isOver) this.resumeUpstream();
  }

  private resumeUpstream(): void {
    this.silence.freed();
    if (!this.flow.isAsking && !this.parts.client.isFull) this.parts.upstream.resume();
  }

  private upstreamGone(code: number, reason: string): void {
    const words = redact(reason, this.parts.secrets);
    const isProper = (code === 1000 || code === 1001) && !this.sessionMeter.isAnswering;
    this.finish(isProper ? { reason: 'complete', code, words } : hungUp(code, words, this.heard === 'error'));
  }

  /** Ends the session once; the first reason stands. */
  private finish(closing: Closing): void {
    if (!this.flow.take('end')) return;
    this.silence.close();
    const { client, upstream } = this.parts;
    // The upstream is cancelled before anything else: it would go on producing for nobody.
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
    const { deps, ground } = this.parts;
    const { requestId, req } = ground.relayCall;
    const shown = publicError(error).in(languageOf(deps, req));
    const data = errorEvent(errorObject(shown, requestId), requestId);
    this.parts.client.send({ data, isBinary: false });
  }

  private asError(error: unknown): RelayError {
    return toRelayError(this.parts.deps.log, this.parts.ground.relayCall, error);
  }

  private logFailure(error: unknown): void {
    this.parts.deps.log.error(
      { ...callInLog(this.parts.ground.relayCall), err: error },
      'a session could not be settled; recovery will',
    );
  }
}

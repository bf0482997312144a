import { type Frame, isSendable } from '../../lib/websocket/frame-socket.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { shownError, toRelayError } from '../failover/index.ts';
import { callInLog } from '../call/index.ts';
import { type Closing, closingFor, failed, shuttingDown } from './end.ts';
import type { SessionHandle, SessionParts } from './session-parts.ts';
import { SessionMeter } from './session-meter.ts';
import { IdleTimer } from './idle-timer.ts';
import { ClientPump } from './client-pump.ts';
import { SessionFlow } from './session-flow.ts';
import { SessionBilling } from './session-billing.ts';
import { UpstreamPump } from './upstream-pump.ts';

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
  private readonly clientPump: ClientPump;
  private readonly upstreamPump: UpstreamPump;
  /** Operations that run one after the other: charges, and finally the end. */
  private work: Promise<void> = Promise.resolve();
  private readonly flow = new SessionFlow();
  private readonly idleTimer: IdleTimer;
  private resolveFinished: () => void = () => undefined;
  /** Resolves when everything is charged and both sockets are closed. Never rejects. */
  readonly finished: Promise<void>;

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { deps, context } = parts;
    const { wire, opening } = parts;
    const { formats, tokensPerImage } = wire;
    const counting = { formats, tokensPerImage, context: opening?.context };
    this.sessionMeter = new SessionMeter(
      context.relayCall.facts.model,
      deps.countTokens,
      deps.clock,
      counting,
    );
    if (opening) this.sessionMeter.addInput(opening.words, 0);
    this.billing = new SessionBilling(parts, this.sessionMeter);
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    this.idleTimer = this.createIdleTimer();
    const handle = this.handle();
    this.clientPump = new ClientPump(parts, this.sessionMeter, handle);
    const { sessionMeter, billing, flow, idleTimer } = this;
    const { clientEvents } = this.clientPump;
    const upstreamParts = { ...parts, sessionMeter, billing, flow, idleTimer, clientEvents };
    this.upstreamPump = new UpstreamPump(upstreamParts, handle);
  }

  private createIdleTimer(): IdleTimer {
    const { limits, client } = this.parts;
    return new IdleTimer({
      limits,
      isHeldUp: () => this.flow.isOver || this.flow.isWaiting || this.clientPump.isWaiting || client.isFull,
      isAnswering: () => this.sessionMeter.isAnswering,
      end: (closing) => this.finish(closing),
    });
  }

  private handle(): SessionHandle {
    return {
      hasEnded: () => this.flow.isOver,
      end: (closing) => this.finish(closing),
      endIfLeaving: () => this.endIfLeaving(),
      sendError: (error) => this.sendError(error),
      asError: (error) => this.asError(error),
      sequentially: (work) => this.sequentially(work),
    };
  }

  /** Starts passing frames. */
  start(): void {
    const { client, upstream, greeting } = this.parts;
    if (greeting) this.endOnError(() => this.upstreamPump.take(greeting));
    upstream.listen({
      onFrame: (frame) => this.endOnError(() => this.upstreamPump.take(frame)),
      onRoom: () => this.clientPump.resumeClient(),
      onClose: (code, reason) => this.finish(this.upstreamPump.closingAfter(code, reason)),
    });
    client.listen({
      onFrame: (frame) => this.endOnError(() => this.fromClient(frame)),
      onRoom: () => this.upstreamPump.resumeUpstream(),
      onClose: () =>
        this.finish({
          reason: this.sessionMeter.isAnswering ? 'client_gone' : 'complete',
          code: 1000,
          words: '',
        }),
    });
    const { first } = this.parts;
    if (first) this.endOnError(() => this.fromClient({ data: first, isBinary: false }));
  }

  /** Ends at once, because the process stops. */
  end(_reason: 'shutdown'): void {
    this.finish(shuttingDown());
  }

  /** Ends as soon as no response is running, because the process stops. */
  endWhenIdle(): void {
    this.flow.take('leave');
    this.endIfLeaving();
  }

  /** Ends a session that is marked to end when idle, if it is idle. */
  private endIfLeaving(): void {
    if (this.flow.state === 'leaving' && !this.sessionMeter.isAnswering) this.finish(shuttingDown());
  }

  /** An exception while a frame is handled ends its session, not the process. */
  private endOnError(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.finish(failed(this.asError(error)));
    }
  }

  private fromClient(frame: Frame): void {
    if (this.flow.isOver) return;
    this.idleTimer.reset();
    this.clientPump.take(frame);
  }

  /** Runs `work` after all earlier operations. If it fails, the session ends and is still charged. */
  private sequentially(work: () => Promise<void>): void {
    this.work = this.work.then(work).catch((error: unknown) => this.finish(closingFor(this.asError(error))));
  }

  /** Ends the session once; the first reason remains. */
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
        const code = isSendable(closing.code) ? closing.code : 1011;
        const { error, words } = closing;
        // The reason has the error if no event can have it.
        const reason = error && !this.parts.wire.writeError ? `${words}: ${this.textOf(error)}` : words;
        return Promise.all([gone, client.close(code, reason)]);
      })
      .then(
        () => this.resolveFinished(),
        () => this.resolveFinished(),
      );
  }

  private sendError(error: RelayError): void {
    const { deps, context, wire, client } = this.parts;
    const { requestId, req } = context.relayCall;
    const data = wire.writeError?.(shownError(deps, req, error), requestId);
    if (data) client.send({ data, isBinary: false });
  }

  private textOf(error: RelayError): string {
    const { deps, context } = this.parts;
    return shownError(deps, context.relayCall.req, error).message;
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

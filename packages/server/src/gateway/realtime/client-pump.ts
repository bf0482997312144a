import type { Frame, FrameLink } from '../../lib/websocket/frame-socket.ts';
import type { RealtimeWire } from '../../relay/realtime/wire.ts';
import { RelayError } from '../../relay/types/index.ts';
import { closingFor, refused } from './end.ts';
import { ClientEvents, type ClientEventsParts } from './client-events.ts';
import type { SessionHold } from './session-hold.ts';
import type { SessionMeter } from './session-meter.ts';
import type { SessionHandle } from './session-parts.ts';

interface CallerParts extends ClientEventsParts {
  client: FrameLink;
  upstream: FrameLink;
  sessionHold: SessionHold;
  wire: Pick<RealtimeWire, 'readClient' | 'writeError'>;
}

/**
 * From the caller to the upstream. A vendor charges for its input, so nothing is sent that the hold does not cover:
 * neither text and sound nor another response, which reads all of it again.
 */
export class ClientPump {
  readonly clientEvents: ClientEvents;
  /** True while the caller is paused until the ledger has answered. */
  isWaiting = false;
  private readonly parts: CallerParts;
  private readonly sessionMeter: SessionMeter;
  private readonly session: SessionHandle;

  constructor(parts: CallerParts, sessionMeter: SessionMeter, session: SessionHandle) {
    this.parts = parts;
    this.sessionMeter = sessionMeter;
    this.session = session;
    this.clientEvents = new ClientEvents(parts, sessionMeter);
  }

  /** Takes one frame of the caller. */
  take(frame: Frame): void {
    const { client, sessionHold, wire } = this.parts;
    const event = this.clientEvents.read(frame);
    if (event instanceof RelayError) {
      // If the caller does not read error events, they would accumulate here.
      return client.isFull || !wire.writeError
        ? this.session.end(refused(event))
        : this.session.sendError(event);
    }
    if (!event.costs || sessionHold.coverOrExtend(this.sessionMeter.maxUsageWith(), true))
      return this.forward(event.frame);
    this.isWaiting = true;
    client.pause();
    this.session.sequentially(() => this.forwardWhenCovered(event.frame));
  }

  private async forwardWhenCovered(frame: Frame): Promise<void> {
    const { sessionHold } = this.parts;
    await this.sessionMeter.refine();
    while (!this.session.hasEnded() && !sessionHold.coverOrExtend(this.sessionMeter.maxUsageWith())) {
      if (!(await sessionHold.waitForExtension())) return this.session.end(closingFor(sessionHold.shortage));
    }
    if (this.session.hasEnded()) return;
    this.isWaiting = false;
    this.forward(frame);
    this.resumeClient();
  }

  private forward(frame: Frame): void {
    const { client, upstream } = this.parts;
    upstream.send(frame);
    if (upstream.isFull) client.pause();
  }

  /** Resumes reading from the caller, unless the upstream's buffer is full or the ledger has not answered. */
  resumeClient(): void {
    if (!this.isWaiting && !this.parts.upstream.isFull) this.parts.client.resume();
  }
}

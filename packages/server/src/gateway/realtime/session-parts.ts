import type { Usage } from '@tollgate/contract';
import type { Frame, FrameLink } from '../../lib/websocket/frame-socket.ts';
import type { RealtimeWire } from '../../relay/realtime/wire.ts';
import type { RelayError } from '../../relay/types/index.ts';
import type { Closing } from './end.ts';
import type { RealtimeLimits } from './limits.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import type { Served } from '../settle/index.ts';
import type { SessionHold } from './session-hold.ts';

/** The data of a session that do not change. */
export type SessionContext = Served & { readonly relayCall: RelayCall };

/** Parts of one session. */
export interface SessionParts {
  deps: GatewayDeps;
  context: SessionContext;
  client: FrameLink;
  upstream: FrameLink;
  /** Secrets that the caller may not see if the upstream repeats them. */
  secrets: readonly string[];
  sessionHold: SessionHold;
  limits: RealtimeLimits;
  wire: RealtimeWire;
  /** The upstream's first frame, if it was read already. */
  greeting?: Frame | undefined;
  /** What the upstream has got before the session: text, and the conversation that it continues. */
  opening?: { words: string; context: Usage } | undefined;
  /** Sent as the caller's first event; absent for none. */
  first?: Buffer;
  /** Checks the caller's key again; throws the error. */
  confirm(): Promise<void>;
}

/** Operations of either side on the whole session. */
export interface SessionHandle {
  hasEnded(): boolean;
  end(closing: Closing): void;
  /** Ends a session that is marked to end when idle, if it is idle. */
  endIfLeaving(): void;
  sendError(error: RelayError): void;
  /** Any exception as the error that the caller sees; unknown ones are logged. */
  asError(error: unknown): RelayError;
  /** Runs `work` after all earlier sequential operations of the session. */
  sequentially(work: () => Promise<void>): void;
}

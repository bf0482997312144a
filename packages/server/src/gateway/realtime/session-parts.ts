import type { FrameLink } from '../../lib/websocket/frame-socket.ts';
import type { SessionContext } from './charge.ts';
import type { RealtimeLimits } from './limits.ts';
import type { SessionDeps } from './session-deps.ts';
import type { SessionHold } from './session-hold.ts';

/** What one session consists of. */
export interface SessionParts {
  deps: SessionDeps;
  context: SessionContext;
  client: FrameLink;
  upstream: FrameLink;
  /** Secrets that the caller may not see if the upstream repeats them. */
  secrets: readonly string[];
  sessionHold: SessionHold;
  limits: RealtimeLimits;
  /** Checks the caller's key again; throws the error. */
  confirm(): Promise<void>;
}

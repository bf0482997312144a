import type { FrameLink } from '../../lib/websocket/frame-socket.ts';
import type { SessionContext } from './charge.ts';
import type { RealtimeLimits } from './limits.ts';
import type { SessionDeps } from './session-deps.ts';
import type { SessionHold } from './session-hold.ts';

/** What one session is made of. */
export interface SessionParts {
  deps: SessionDeps;
  context: SessionContext;
  client: FrameLink;
  upstream: FrameLink;
  /** Words that the caller may not read, should the upstream repeat them. */
  secrets: readonly string[];
  sessionHold: SessionHold;
  limits: RealtimeLimits;
  /** Asks again whether the caller's key still stands; throws the refusal. */
  confirm(): Promise<void>;
}

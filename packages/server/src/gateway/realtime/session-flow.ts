import { StateFlow, type StateTable } from '../../lib/state-flow.ts';

/** The events of a session. */
export const sessionEvents = [
  /** The session waits for the ledger or the rate limits, and the upstream is paused. */
  'ask',
  /** They have answered: frames pass again. */
  'answered',
  /** The process stops as soon as no response is running. */
  'leave',
  /** Either side, the ledger or the process ends it. */
  'end',
] as const;

export type SessionEvent = (typeof sessionEvents)[number];

export type SessionState =
  /** Frames pass in both directions. */
  | 'flowing'
  /** The upstream waits for the ledger. */
  | 'asking'
  /** Frames pass until the running response has ended. */
  | 'leaving'
  /** The upstream waits for the ledger, in a session that is leaving. */
  | 'leaving-asking'
  /** Nothing passes any more; what was delivered is charged. */
  | 'over';

/**
 * The next state for each state and event. The upstream is paused while the session waits, so no second wait can
 * start.
 */
export const sessionMoves: StateTable<SessionState, SessionEvent> = {
  flowing: { ask: 'asking', leave: 'leaving', end: 'over' },
  asking: { answered: 'flowing', leave: 'leaving-asking', end: 'over' },
  leaving: { ask: 'leaving-asking', leave: 'ignored', end: 'over' },
  'leaving-asking': { answered: 'leaving', leave: 'ignored', end: 'over' },
  // The first reason counts, and an answer may arrive late.
  over: { answered: 'ignored', leave: 'ignored', end: 'ignored' },
};

/** The state machine of a session. */
export class SessionFlow extends StateFlow<SessionState, SessionEvent> {
  constructor() {
    super(sessionMoves, 'flowing');
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The upstream waits for the ledger or the rate limits. */
  get isAsking(): boolean {
    return this.state === 'asking' || this.state === 'leaving-asking';
  }
}

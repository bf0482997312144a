import { StateFlow, type StateTable } from '../../lib/state-flow.ts';

/** The events of a session. */
export const sessionEvents = [
  /** The session waits for the ledger or the rate limits, and the upstream is paused. */
  'wait',
  /** They have answered: frames pass again. */
  'resume',
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
  | 'waiting'
  /** Frames pass until the running response has ended. */
  | 'leaving'
  /** The upstream waits for the ledger, in a session that is leaving. */
  | 'leaving-waiting'
  /** Nothing passes any more; what was delivered is charged. */
  | 'over';

/**
 * The next state for each state and event. The upstream is paused while the session waits, so no second wait can
 * start.
 */
export const sessionMoves: StateTable<SessionState, SessionEvent> = {
  flowing: { wait: 'waiting', leave: 'leaving', end: 'over' },
  waiting: { resume: 'flowing', leave: 'leaving-waiting', end: 'over' },
  leaving: { wait: 'leaving-waiting', leave: 'ignored', end: 'over' },
  'leaving-waiting': { resume: 'leaving', leave: 'ignored', end: 'over' },
  // The first reason counts, and an answer may arrive late.
  over: { resume: 'ignored', leave: 'ignored', end: 'ignored' },
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
  get isWaiting(): boolean {
    return this.state === 'waiting' || this.state === 'leaving-waiting';
  }
}

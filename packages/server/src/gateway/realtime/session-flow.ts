import { StateFlow, type StateTable } from '../../lib/state-flow.ts';

/** What happens to a session. */
export const sessionEvents = [
  /** The ledger or the limits are asked, and the upstream waits for the answer. */
  'ask',
  /** They have answered: frames pass again. */
  'answered',
  /** The process stops as soon as no response is under way. */
  'leave',
  /** Either side, the ledger or the process ends it. */
  'end',
] as const;

export type SessionEvent = (typeof sessionEvents)[number];

export type SessionState =
  /** Frames pass both ways. */
  | 'flowing'
  /** The upstream waits for the ledger. */
  | 'asking'
  /** Frames pass until the response under way has ended. */
  | 'leaving'
  /** The upstream waits for the ledger, in a session that is leaving. */
  | 'leaving-asking'
  /** Nothing passes any more; what was delivered is charged. */
  | 'over';

/** Where each event leads from each state. The upstream is paused while it waits, so nothing is asked twice. */
export const sessionMoves: StateTable<SessionState, SessionEvent> = {
  flowing: { ask: 'asking', leave: 'leaving', end: 'over' },
  asking: { answered: 'flowing', leave: 'leaving-asking', end: 'over' },
  leaving: { ask: 'leaving-asking', leave: 'ignored', end: 'over' },
  'leaving-asking': { answered: 'leaving', leave: 'ignored', end: 'over' },
  // The first reason stands, and what was asked for may be answered late.
  over: { answered: 'ignored', leave: 'ignored', end: 'ignored' },
};

/** The life of a session. */
export class SessionFlow extends StateFlow<SessionState, SessionEvent> {
  constructor() {
    super(sessionMoves, 'flowing');
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The upstream waits for an answer of ours. */
  get isAsking(): boolean {
    return this.state === 'asking' || this.state === 'leaving-asking';
  }
}

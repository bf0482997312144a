import { channel } from 'node:diagnostics_channel';
import { product } from '@tollgate/contract';
import { StateFlow, type StateMove, type StateTable } from '../../lib/state-flow.ts';

/** The events of an answer. */
export const answerEvents = [
  /** The upstream's head: success, or an error status. */
  'head',
  'refusal',
  /** The first piece with content, or the end of an answer in one piece. */
  'begin',
  /** The hold does not cover a piece, or the end: it waits until the hold has grown. */
  'piece-unpaid',
  'end-unpaid',
  /** The hold has grown or cannot grow: the piece is checked again. */
  'paid',
  /** The balance has ended. */
  'cut',
  /** The caller disconnected, and the upstream is read to its end for its usage. */
  'leave',
  /** The upstream's answer is complete; it broke off after a part was delivered; it failed before, so another channel may be tried. */
  'complete',
  'break',
  'fail',
  /** Tollgate ends it: the caller disconnected, the balance ended, the process stops. */
  'stop',
] as const;

export type AnswerEvent = (typeof answerEvents)[number];

export type AnswerState =
  /** Sent; no head yet. */
  | 'asked'
  /** The head was an error: its body is gathered. */
  | 'refused'
  /** The head was a success, and there is no content yet: what arrived is kept, and another channel may still be tried. */
  | 'opening'
  /** Pieces are passed to the caller. */
  | 'streaming'
  /** A piece waits for the hold to grow, and the upstream is paused. */
  | 'waiting'
  /** The balance ended within an event, which is delivered to its end. */
  | 'cutting'
  /** The upstream has ended; its end waits for the hold to grow. */
  | 'closing'
  /** Read to the end without a caller. */
  | 'draining'
  /** Over: complete, incomplete, failed so that another channel may be tried, ended by Tollgate. */
  | 'whole'
  | 'broken'
  | 'failed'
  | 'stopped';

type Row = StateTable<AnswerState, AnswerEvent>[AnswerState];

/** The upstream has one head; a second one is ignored. */
const headed: Row = { head: 'ignored', refusal: 'ignored' };
/** Events from outside may arrive too late. */
const over: Row = { ...headed, paid: 'ignored', leave: 'ignored', stop: 'ignored' };

/** The next state for each state and event. What is not listed cannot happen. */
export const answerMoves: StateTable<AnswerState, AnswerEvent> = {
  asked: { head: 'opening', refusal: 'refused', leave: 'draining', fail: 'failed', stop: 'stopped' },
  refused: { ...headed, leave: 'refused', fail: 'failed', stop: 'stopped' },
  opening: { ...headed, begin: 'streaming', leave: 'draining', fail: 'failed', stop: 'stopped' },
  streaming: {
    ...headed,
    'piece-unpaid': 'waiting',
    'end-unpaid': 'closing',
    cut: 'cutting',
    leave: 'draining',
    complete: 'whole',
    break: 'broken',
    fail: 'failed',
    stop: 'stopped',
  },
  waiting: { ...headed, paid: 'streaming', leave: 'draining', stop: 'stopped' },
  // Whatever follows, it ends because the balance has.
  cutting: { ...headed, leave: 'ignored', stop: 'stopped' },
  closing: {
    ...headed,
    paid: 'closing',
    'end-unpaid': 'closing',
    leave: 'draining',
    complete: 'whole',
    stop: 'stopped',
  },
  draining: {
    head: 'draining',
    refusal: 'refused',
    paid: 'ignored',
    leave: 'ignored',
    complete: 'whole',
    break: 'broken',
    fail: 'failed',
    stop: 'stopped',
  },
  whole: over,
  broken: over,
  failed: over,
  stopped: over,
};

/** One transition, as it is published on `answerMoved`. */
export type AnswerMove = StateMove<AnswerState, AnswerEvent>;

/** Every transition of every answer of this process, for diagnosis. */
export const answerMoved = channel(`${product.id}:answer-moved`);

/** The state machine of an answer. */
export class AnswerFlow extends StateFlow<AnswerState, AnswerEvent> {
  constructor() {
    super(answerMoves, 'asked', answerMoved);
  }

  /** True once there is a result. */
  get isOver(): boolean {
    return answerMoves[this.state] === over;
  }
}

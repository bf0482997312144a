import { channel } from 'node:diagnostics_channel';
import { StateFlow, type StateMove, type StateTable } from '../../lib/state-flow.ts';

/** What happens to an answer. */
export const answerEvents = [
  /** The upstream: a good head, or one that refuses. */
  'head',
  'refusal',
  /** The first piece that tells something is there, or the end of an answer in one piece. */
  'begin',
  /** A piece, or the end, is not held for: it waits until the hold has grown. */
  'piece-unpaid',
  'end-unpaid',
  /** What was waited for is known: ask again. */
  'paid',
  /** The balance has ended. */
  'cut',
  /** The caller left, and the upstream is read to its end for what it reports. */
  'leave',
  /** The upstream's answer is whole; it broke off when a part had been delivered; nothing was, and another may be asked. */
  'complete',
  'break',
  'fail',
  /** We end it: the caller hung up, the balance ended, the process stops. */
  'stop',
] as const;

export type AnswerEvent = (typeof answerEvents)[number];

export type AnswerState =
  /** Sent; no head yet. */
  | 'asked'
  /** The head was an error: its body is gathered. */
  | 'refused'
  /** A good head, and nothing told yet: what came is kept, and another channel may still be asked. */
  | 'opening'
  /** Pieces pass to the caller. */
  | 'streaming'
  /** A piece waits to be paid for, and the upstream with it. */
  | 'waiting'
  /** The balance ended within an event, which is delivered to its end. */
  | 'cutting'
  /** The upstream has ended; its end waits to be paid for. */
  | 'closing'
  /** Read on without a caller. */
  | 'draining'
  /** Over: whole, not whole, given up for another channel, ended by us. */
  | 'whole'
  | 'broken'
  | 'failed'
  | 'stopped';

type Row = StateTable<AnswerState, AnswerEvent>[AnswerState];

/** The upstream has one head; a second one says nothing. */
const headed: Row = { head: 'ignored', refusal: 'ignored' };
/** What comes from outside may come too late. */
const over: Row = { ...headed, paid: 'ignored', leave: 'ignored', stop: 'ignored' };

/** Where each event leads from each state. What is not named here cannot happen. */
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
  // However it goes on, it ends as its balance did.
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

/** One move, as it is published to who listens to `answerMoved`. */
export type AnswerMove = StateMove<AnswerState, AnswerEvent>;

/** Every move of every answer of this process, for diagnosis. */
export const answerMoved = channel('tollgate:answer-moved');

/** The life of an answer. */
export class AnswerFlow extends StateFlow<AnswerState, AnswerEvent> {
  constructor() {
    super(answerMoves, 'asked', answerMoved);
  }

  /** True once there is a result. */
  get isOver(): boolean {
    return answerMoves[this.state] === over;
  }
}

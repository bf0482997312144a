import { describe, expect, it } from 'vitest';
import {
  type AnswerEvent,
  answerEvents,
  AnswerFlow,
  type AnswerMove,
  answerMoved,
  answerMoves,
  type AnswerState,
} from './answer.ts';
import { pathsToAll } from '../../testing/state-paths.ts';

const states = Object.keys(answerMoves) as AnswerState[];
const results = ['whole', 'broken', 'failed', 'stopped'];

const paths = pathsToAll(answerMoves, 'asked');

function flowAt(path: readonly AnswerEvent[]): AnswerFlow {
  const flow = new AnswerFlow();
  for (const event of path) flow.take(event);
  return flow;
}

function outcomeOf(flow: AnswerFlow, event: AnswerEvent): 'moved' | 'ignored' | 'refused' {
  try {
    return flow.take(event) ? 'moved' : 'ignored';
  } catch {
    return 'refused';
  }
}

describe('the states of an answer', () => {
  it('can reach every state of the table', () => {
    expect([...paths.keys()].sort()).toEqual([...states].sort());
  });

  it('moves as the table says for every state and event, and ignores all other events', () => {
    for (const [state, path] of paths) {
      for (const event of answerEvents) {
        const flow = flowAt(path);
        const to = answerMoves[state][event];
        const where = `${state} × ${event}`;
        expect(outcomeOf(flow, event), where).toBe(
          to === undefined ? 'refused' : to === 'ignored' ? 'ignored' : 'moved',
        );
        expect(flow.state, where).toBe(to === undefined || to === 'ignored' ? state : to);
        expect(flow.isOver, where).toBe(results.includes(flow.state));
      }
    }
  });

  it('has one result, which no later event changes', () => {
    for (const state of results as AnswerState[]) {
      expect(Object.values(answerMoves[state]).every((to) => to === 'ignored')).toBe(true);
    }
  });

  it('handles the upstream’s head, a caller who leaves and a stop in every state', () => {
    for (const state of states) {
      for (const event of ['head', 'refusal', 'leave', 'stop'] as const) {
        expect(answerMoves[state][event], `${state} × ${event}`).toBeDefined();
      }
    }
  });

  it('can be ended in every state', () => {
    for (const state of states.filter((one) => !results.includes(one))) {
      expect(answerMoves[state].stop).toBe('stopped');
    }
  });

  it('tries another channel from no state in which the caller waits for a hold to grow', () => {
    const mayFail = states.filter((state) => answerMoves[state].fail === 'failed');
    expect(mayFail).toEqual(['asked', 'refused', 'opening', 'streaming', 'draining']);
  });

  it('notifies its listener of each transition, and of nothing else', () => {
    const moves: AnswerMove[] = [];
    const listen = (move: unknown): void => void moves.push(move as AnswerMove);
    answerMoved.subscribe(listen);
    const flow = flowAt(['head', 'begin', 'complete']);
    flow.take('stop');
    answerMoved.unsubscribe(listen);
    expect(moves).toEqual([
      { from: 'asked', event: 'head', to: 'opening' },
      { from: 'opening', event: 'begin', to: 'streaming' },
      { from: 'streaming', event: 'complete', to: 'whole' },
    ]);
  });
});

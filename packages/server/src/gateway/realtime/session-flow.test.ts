import { describe, expect, it } from 'vitest';
import { pathsToAll } from '../../testing/state-paths.ts';
import {
  type SessionEvent,
  sessionEvents,
  SessionFlow,
  sessionMoves,
  type SessionState,
} from './session-flow.ts';

const states = Object.keys(sessionMoves) as SessionState[];
const paths = pathsToAll(sessionMoves, 'flowing');

function flowAt(state: SessionState): SessionFlow {
  const flow = new SessionFlow();
  for (const event of paths.get(state)!) flow.take(event);
  return flow;
}

/** Effect of one event in a state: the next state, no effect, or impossible. */
function after(state: SessionState, event: SessionEvent): SessionState | 'ignored' | undefined {
  const flow = flowAt(state);
  try {
    return flow.take(event) ? flow.state : 'ignored';
  } catch {
    return undefined;
  }
}

describe('the states of a realtime session', () => {
  it('can reach every state of the table', () => {
    expect([...paths.keys()].sort()).toEqual([...states].sort());
  });

  it('moves as the table says for every state and event, and ignores all other events', () => {
    for (const state of states) {
      for (const event of sessionEvents) {
        expect(flowAt(state).state).toBe(state);
        expect(after(state, event), `${state} × ${event}`).toBe(sessionMoves[state][event]);
      }
    }
  });

  it('can be ended in every state, once, and no later event changes that', () => {
    for (const state of states) expect(after(state, 'end')).toBe(state === 'over' ? 'ignored' : 'over');
    expect(Object.values(sessionMoves.over).every((to) => to === 'ignored')).toBe(true);
  });

  it('waits for one thing at a time, and returns to its state when that is answered', () => {
    for (const state of ['flowing', 'leaving'] as const) {
      const flow = flowAt(state);
      flow.take('wait');
      expect(flow.isWaiting).toBe(true);
      expect(() => flow.take('wait')).toThrow('wait');
      flow.take('resume');
      expect([flow.state, flow.isWaiting]).toEqual([state, false]);
    }
  });

  it('leaves for good: no later event revives it', () => {
    const left = ['leaving', 'leaving-waiting', 'over'];
    for (const state of states) {
      const flow = flowAt(state);
      flow.take('leave');
      expect(left).toContain(flow.state);
    }
    for (const state of left as SessionState[]) {
      for (const event of sessionEvents) {
        expect([...left, 'ignored', undefined], `${state} × ${event}`).toContain(after(state, event));
      }
    }
  });
});

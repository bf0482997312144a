import type { StateTable } from '../lib/state-flow.ts';

/** Shortest path from the first state to each reachable state. */
export function pathsToAll<State extends string, Event extends string>(
  moves: StateTable<State, Event>,
  first: State,
): Map<State, Event[]> {
  const paths = new Map<State, Event[]>([[first, []]]);
  // A loop over a Map follows insertion order and includes entries that are added during the loop.
  for (const [state, path] of paths) {
    for (const [event, to] of Object.entries(moves[state]) as [Event, State | 'ignored'][]) {
      if (to !== 'ignored' && !paths.has(to)) paths.set(to, [...path, event]);
    }
  }
  return paths;
}

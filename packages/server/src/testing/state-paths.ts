import type { StateTable } from '../lib/state-flow.ts';

/** The shortest way from the first state to each that can be reached. */
export function pathsToAll<State extends string, Event extends string>(
  moves: StateTable<State, Event>,
  first: State,
): Map<State, Event[]> {
  const paths = new Map<State, Event[]>([[first, []]]);
  // A Map is walked in the order of arrival, and what is added on the way is walked too.
  for (const [state, path] of paths) {
    for (const [event, to] of Object.entries(moves[state]) as [Event, State | 'ignored'][]) {
      if (to !== 'ignored' && !paths.has(to)) paths.set(to, [...path, event]);
    }
  }
  return paths;
}

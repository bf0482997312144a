import type { Channel } from 'node:diagnostics_channel';

/**
 * The next state for each state and event. A missing entry is impossible; `ignored` means that the event is too late
 * to matter.
 */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State | 'ignored'>>>>
>;

/** One transition, as published to listeners. */
export interface StateMove<State extends string, Event extends string> {
  from: State;
  event: Event;
  to: State;
}

/** A state machine: its state, and its table of transitions. */
export class StateFlow<State extends string, Event extends string> {
  state: State;
  private readonly moves: StateTable<State, Event>;
  private readonly moved: Channel | undefined;

  /** `moved` is called for every transition, for diagnosis. */
  constructor(moves: StateTable<State, Event>, first: State, moved?: Channel) {
    this.moves = moves;
    this.state = first;
    this.moved = moved;
  }

  /** Makes a transition; false if the event is too late to matter. Throws if it is impossible. */
  take(event: Event): boolean {
    const from = this.state;
    const to = this.moves[from][event];
    if (to === undefined) throw new Error(`what is ${from} cannot have the event ${event}`);
    if (to === 'ignored') return false;
    this.state = to as State;
    if (this.moved?.hasSubscribers)
      this.moved.publish({ from, event, to } satisfies StateMove<string, string>);
    return true;
  }
}

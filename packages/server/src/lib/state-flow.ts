import type { Channel } from 'node:diagnostics_channel';

/** Where each event leads from each state. What is not named cannot happen; `ignored` comes too late to mean anything. */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State | 'ignored'>>>>
>;

/** One move, as it is published to who listens. */
export interface StateMove<State extends string, Event extends string> {
  from: State;
  event: Event;
  to: State;
}

/** The life of one thing: its state, and the table that says what may become of it. */
export class StateFlow<State extends string, Event extends string> {
  state: State;
  private readonly moves: StateTable<State, Event>;
  private readonly moved: Channel | undefined;

  /** `moved` is told of every move, for diagnosis. */
  constructor(moves: StateTable<State, Event>, first: State, moved?: Channel) {
    this.moves = moves;
    this.state = first;
    this.moved = moved;
  }

  /** Makes a move; false where the event comes too late to mean anything. Throws on what cannot happen. */
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

/** Who calls, as the store has it at this moment (never as a cookie remembers it). */
export interface Actor {
  id: number;
  username: string;
  role: number;
  status: number;
  group: string;
}

/** How an actor proved who they are. */
export type Credential =
  | {
      kind: 'session';
      /** SHA-256 of the cookie's value, hex: the session's name in the store. */
      idHash: string;
    }
  | { kind: 'access-token' };

/** An actor and their proof. */
export interface Identity {
  actor: Actor;
  credential: Credential;
}

import type { ReaderLanguage } from '../../lib/accept-language.ts';

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
      /** Unix seconds when its owner last proved who they are, beyond signing in with a password; 0 for never. */
      provenTime: number;
    }
  | { kind: 'access-token' };

/** An actor and their proof. */
export interface Identity {
  actor: Actor;
  credential: Credential;
  /** What the actor keeps as the language they read; absent for none. */
  language?: ReaderLanguage | undefined;
}

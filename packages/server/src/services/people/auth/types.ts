import type { AccessTokenScope } from '@tollgate/contract';
import type { ReaderLanguage } from '../../../lib/accept-language.ts';

/** The caller, as stored at this moment (never from data in a cookie). */
export interface Actor {
  id: number;
  username: string;
  role: number;
  status: number;
  group: string;
}

/** Authentication method of the caller. */
export type Credential =
  | {
      kind: 'session';
      /** SHA-256 of the cookie's value, hex: the session's id in the store. */
      idHash: string;
      /** Unix seconds of the last confirmation, beyond signing in with a password; 0 for never. */
      provenTime: number;
    }
  | { kind: 'access-token'; scope: AccessTokenScope };

/** The caller and how they were authenticated. */
export interface Identity {
  actor: Actor;
  credential: Credential;
  /** The language in the caller's account; absent for none. */
  language?: ReaderLanguage | undefined;
}

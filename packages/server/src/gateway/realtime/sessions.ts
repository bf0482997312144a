import { type RelayError, refuse } from '../../relay/types/index.ts';
import type { Session } from './session.ts';

/** The sessions of this process: their number for each user, and the list to notify when the process stops. */
export class Sessions {
  private readonly open = new Set<Pick<Session, 'endWhenIdle'>>();
  private readonly byUser = new Map<number, number>();
  private readonly maxPerUser: number;
  private isStopping = false;

  /** @param maxPerUser Sessions of one user at once; 0 for any number. */
  constructor(maxPerUser: number) {
    this.maxPerUser = maxPerUser;
  }

  /**
   * Admits one more session of a user, from its handshake on, because an idle session costs its owner nothing but
   * occupies two sockets. Throws an error (429). The returned function must be called once, when the session is over
   * or did not start.
   */
  admit(userId: number): () => void {
    const before = this.byUser.get(userId) ?? 0;
    if (this.maxPerUser > 0 && before >= this.maxPerUser) throw tooMany(this.maxPerUser);
    this.byUser.set(userId, before + 1);
    return () => {
      const left = (this.byUser.get(userId) ?? 1) - 1;
      if (left > 0) this.byUser.set(userId, left);
      else this.byUser.delete(userId);
    };
  }

  add(session: Pick<Session, 'endWhenIdle'>): void {
    this.open.add(session);
    // It was admitted before the stop and started after it.
    if (this.isStopping) session.endWhenIdle();
  }

  delete(session: Pick<Session, 'endWhenIdle'>): void {
    this.open.delete(session);
  }

  /** A stop does not wait for idle sessions: from now on each session ends as soon as no response is running. */
  stop(): void {
    this.isStopping = true;
    for (const session of this.open) session.endWhenIdle();
  }
}

const tooMany = (most: number): RelayError => refuse('too_many_sessions', { most });

import { type RelayError, refuse } from '../../relay/types/index.ts';
import type { Session } from './session.ts';

/** The sessions of this process: how many each user has, and whom to tell when the process stops. */
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
   * Lets one more session of a user in, from its handshake on: an idle one costs its owner nothing, but us two sockets.
   * Throws the refusal (429). What it answers must be called once, when the session is over or never began.
   */
  enter(userId: number): () => void {
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
    // It was let in before the stop and began after it.
    if (this.isStopping) session.endWhenIdle();
  }

  delete(session: Pick<Session, 'endWhenIdle'>): void {
    this.open.delete(session);
  }

  /** A stop must not wait for hours of silence: from now on each session ends as soon as no response is under way. */
  stop(): void {
    this.isStopping = true;
    for (const session of this.open) session.endWhenIdle();
  }
}

const tooMany = (most: number): RelayError => refuse('too_many_sessions', { most });

import type { Session } from './session.ts';

/** The sessions of this process. A stop must not wait for hours of silence: idle sessions end at once. */
export class Sessions {
  private readonly open = new Set<Pick<Session, 'endWhenIdle'>>();
  private isStopping = false;

  add(session: Pick<Session, 'endWhenIdle'>): void {
    this.open.add(session);
    // It was let in before the stop and began after it.
    if (this.isStopping) session.endWhenIdle();
  }

  delete(session: Pick<Session, 'endWhenIdle'>): void {
    this.open.delete(session);
  }

  /** From now on each session ends as soon as no response is under way. */
  stop(): void {
    this.isStopping = true;
    for (const session of this.open) session.endWhenIdle();
  }
}

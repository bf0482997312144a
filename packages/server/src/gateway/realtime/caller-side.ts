import type { Frame, FrameLink } from '../../lib/frame-socket.ts';
import { RelayError } from '../../relay/model/relay-error.ts';
import { type Ending, outOfQuota, refused } from './end.ts';
import { Hearing, type HearingParts } from './hearing.ts';
import type { Purse } from './purse.ts';
import type { Tally } from './tally.ts';

interface CallerParts extends HearingParts {
  client: FrameLink;
  upstream: FrameLink;
  purse: Purse;
}

/** What the caller's side does to its session. */
interface SessionHandle {
  hasEnded(): boolean;
  end(ending: Ending): void;
  tell(error: RelayError): void;
  /** Does something when all is done that the session does one after the other. */
  behind(work: () => Promise<void>): void;
}

/**
 * From the caller to the upstream. A vendor charges for what it is sent, so nothing is sent that the hold does not pay
 * for: neither words and sound, nor one more response that will read them all again.
 */
export class CallerSide {
  readonly hearing: Hearing;
  /** The caller waits for the ledger. */
  isWaiting = false;
  private readonly parts: CallerParts;
  private readonly tally: Tally;
  private readonly session: SessionHandle;

  constructor(parts: CallerParts, tally: Tally, session: SessionHandle) {
    this.parts = parts;
    this.tally = tally;
    this.session = session;
    this.hearing = new Hearing(parts, tally);
  }

  /** Takes one frame of the caller's. */
  hear(frame: Frame): void {
    const { client, purse } = this.parts;
    const heard = this.hearing.hear(frame);
    if (heard instanceof RelayError) {
      // Who reads no refusals would have them pile up here.
      return client.isFull ? this.session.end(refused(heard)) : this.session.tell(heard);
    }
    if (!heard.costs || purse.covers(this.tally.estimate())) return this.forward(heard.frame);
    this.isWaiting = true;
    client.pause();
    this.session.behind(() => this.payAhead(heard.frame));
  }

  private async payAhead(frame: Frame): Promise<void> {
    const { purse } = this.parts;
    while (!this.session.hasEnded() && !purse.covers(this.tally.estimate())) {
      if (!(await purse.grown())) return this.session.end(outOfQuota());
    }
    if (this.session.hasEnded()) return;
    this.isWaiting = false;
    this.forward(frame);
    this.letSpeak();
  }

  private forward(frame: Frame): void {
    const { client, upstream } = this.parts;
    upstream.send(frame);
    if (upstream.isFull) client.pause();
  }

  /** The caller may go on, unless the upstream is full or the ledger is asked. */
  letSpeak(): void {
    if (!this.isWaiting && !this.parts.upstream.isFull) this.parts.client.resume();
  }
}

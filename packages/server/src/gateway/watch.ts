import type { AnswerPipe } from '../relay/model/protocol.ts';
import type { RequestLedger } from '../services/ledger/index.ts';
import type { Hold } from './hold.ts';
import type { Meter } from './meter.ts';

/** A crash forgets at most this long of what was delivered (money.md K7). */
const markEveryMs = 1_000;
/** Bytes on the wire that carry no more than one token: fewer than a hold's worth need not be counted. */
const bytesPerToken = 3;

/**
 * Watches a stream's cost while it flows: enlarges the hold before it runs out, leaves progress marks for recovery,
 * and says when the balance has truly ended. Counts only when the bytes could have reached the hold.
 */
export class Watch {
  private readonly ledger: RequestLedger;
  private readonly requestId: string;
  private readonly hold: Hold;
  private readonly meter: Meter;
  private readonly now: () => number;
  private bytes = 0;
  private nextCheckBytes: number;
  private markedAt: number;

  constructor(parts: {
    ledger: RequestLedger;
    requestId: string;
    hold: Hold;
    meter: Meter;
    now: () => number;
    /** True when the hold covers all that max_tokens lets the upstream say: then only marks are left to do. */
    coversAll: boolean;
  }) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.hold = parts.hold;
    this.meter = parts.meter;
    this.now = parts.now;
    this.markedAt = parts.now();
    this.nextCheckBytes = parts.coversAll ? Infinity : parts.hold.tokensLeft(0) * bytesPerToken;
  }

  /** Called for each delivered piece. True when what is held has been delivered and no more can be had: cut here. */
  delivered(pipe: AnswerPipe, bytes: number): boolean {
    this.bytes += bytes;
    if (this.now() - this.markedAt >= markEveryMs) {
      this.count(pipe);
      this.mark();
    }
    return this.bytes >= this.nextCheckBytes && this.check(pipe);
  }

  private count(pipe: AnswerPipe): void {
    this.meter.add(pipe.takeText());
  }

  private mark(): void {
    this.markedAt = this.now();
    // Counted, not estimated: after a crash nobody pays for output that was not delivered. The count runs behind.
    this.meter.total().then(
      ({ output, reasoning }) => this.ledger.mark(this.requestId, this.hold.costAt(output + reasoning)),
      () => undefined,
    );
  }

  private check(pipe: AnswerPipe): boolean {
    this.count(pipe);
    const delivered = this.meter.estimate;
    const left = this.hold.tokensLeft(delivered);
    // Ask for more while a fifth of what is held is left, so that the answer is there before it is needed.
    if (left * 5 < Math.max(1, this.hold.tokensLeft(0))) this.hold.extend();
    if (left <= 0 && this.hold.exhausted) return true;
    this.nextCheckBytes = this.bytes + Math.max(256, Math.floor(Math.max(0, left) * 0.5) * bytesPerToken);
    return false;
  }
}

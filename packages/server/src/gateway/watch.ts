import type { AnswerPipe, DeliveredText } from '../relay/model/protocol.ts';
import type { RequestLedger } from '../services/ledger/index.ts';
import type { Hold } from './hold.ts';
import { estimateText, type Meter } from './meter.ts';

/** A crash forgets at most this long of what was delivered (money.md K7). */
const markEveryMs = 1_000;
/** Bytes on the wire that carry no more than one token: fewer than a hold's worth need not be counted. */
const bytesPerToken = 3;

/** What may become of a piece of the answer; a promise: ask again when it has resolved. */
export type Verdict = 'deliver' | 'cut' | Promise<void>;

/**
 * Watches a stream's cost while it flows: enlarges the hold before it runs out, leaves progress marks for recovery,
 * and says when the balance has truly ended. Counts only when the bytes could have reached the hold. Nothing is
 * delivered that is not held for.
 */
export class Watch {
  private readonly ledger: RequestLedger;
  private readonly requestId: string;
  private readonly hold: Hold;
  private readonly meter: Meter;
  private readonly now: () => number;
  private bytes = 0;
  private nextCheckBytes: number;
  /** Text of a piece that waits for its verdict. */
  private unpaid: DeliveredText[] = [];
  private markedAt = 0;

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
    this.nextCheckBytes = parts.coversAll ? Infinity : parts.hold.tokensLeft(0) * bytesPerToken;
  }

  /** The first piece is there: the hold, without which it may not leave, should not wait for others any more. */
  begin(): void {
    this.markedAt = this.now();
    this.ledger.hurry(this.requestId);
  }

  /** Called for each piece before it is delivered, `pipe` having read it; and again when it had to wait. */
  admit(pipe: AnswerPipe, bytes: number): Verdict {
    const after = this.bytes + bytes;
    if (after >= this.nextCheckBytes) {
      const verdict = this.check(pipe);
      if (verdict !== 'deliver') return verdict;
      const left = Math.max(0, this.hold.tokensLeft(this.meter.estimate));
      this.nextCheckBytes = after + Math.floor(left * 0.5) * bytesPerToken;
    }
    this.bytes = after;
    if (this.now() - this.markedAt >= markEveryMs) {
      this.count(pipe);
      this.mark();
    }
    return 'deliver';
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

  private check(pipe: AnswerPipe): Verdict {
    this.unpaid.push(pipe.takeText());
    const asked = this.unpaid.reduce((sum, text) => sum + estimateText(text), this.meter.estimate);
    const left = this.hold.tokensLeft(asked);
    // Ask for more while a fifth of what is held is left, so that the answer is there before it is needed.
    if (left * 5 < Math.max(1, this.hold.tokensLeft(0))) this.hold.extend(Math.max(0, -left));
    if (left >= 0) {
      for (const text of this.unpaid.splice(0)) this.meter.add(text);
      return 'deliver';
    }
    if (this.hold.extending) return this.hold.extending;
    // What is not delivered is not counted.
    this.unpaid = [];
    return 'cut';
  }
}

import { isBelievable } from '@tollgate/contract';
import { endsEvent, lastEventEnd } from '../../lib/sse/index.ts';
import type { AnswerEnd, AnswerPipe, DeliveredText } from '../../relay/types/index.ts';
import type { RequestLedger } from '../../services/ledger/index.ts';
import type { Hold } from './hold.ts';
import { addedMedia } from './media-tokens.ts';
import type { MarkRounds } from './mark-rounds.ts';
import { type Meter, mostTokensOf } from './meter.ts';
import type { ProgressAt } from './progress.ts';

/** With the round of marks that follows, a crash forgets at most a second of what was delivered. */
const markEveryMs = 900;

/**
 * Text that comes as events and can be cut; an answer in one piece, which comes whole or not at all; images and sound,
 * all of whose cost is held before they are asked for.
 */
type AnswerKind = 'stream' | 'whole' | 'media';

/** What may become of a piece of the answer; a promise: ask again when it has resolved. */
export type Verdict = 'deliver' | 'cut' | Promise<void>;

/**
 * Watches a stream's cost while it flows: enlarges the hold before it runs out, leaves progress marks for recovery,
 * and says when the balance has truly ended. Nothing is delivered that is not held for. A byte from the upstream is at
 * most one token of text, so that text is looked at only where the bytes could have reached the hold, and counted
 * exactly only where the balance has no plenty. An image of few bytes may cost thousands: it is always looked at.
 */
export class Watch {
  private readonly ledger: Pick<RequestLedger, 'endDeferral' | 'mark'>;
  private readonly requestId: string;
  private readonly hold: Hold;
  private readonly meter: Meter;
  private readonly progressAt: ProgressAt;
  private readonly markRounds: Pick<MarkRounds, 'add'>;
  private readonly now: () => number;
  private readonly kind: AnswerKind;
  /** Bytes that went into the pipe. */
  private bytes = 0;
  /** Of those, bytes of an event that is not whole yet. */
  private openBytes = 0;
  /** Up to so many bytes are surely held for, whatever stands in them. */
  private sureBytes: number;
  /** True while what was read last has not been admitted: its text is not delivered. */
  private isOpen = false;
  /** True where there may be an image or a sound in what arrived last; in the part of it that was read last. */
  private isSuspect = false;
  private isMedia = false;
  /** Text that was read and waits for its verdict. */
  private unpaid: DeliveredText | undefined;
  /** The exact count of all text with the unpaid one, once it was made. */
  private counted: number | undefined;
  /** When what was delivered was noted last; nothing is before the hold is durable. */
  private markedAt = Infinity;
  private isDurable = false;
  /** True once the hold was asked to grow to what the vendor reported at the end. */
  private isReportTried = false;

  constructor(parts: {
    ledger: Pick<RequestLedger, 'endDeferral' | 'mark'>;
    requestId: string;
    hold: Hold;
    meter: Meter;
    /** What a crash would charge. */
    progressAt: ProgressAt;
    markRounds: Pick<MarkRounds, 'add'>;
    now: () => number;
    kind: AnswerKind;
  }) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.hold = parts.hold;
    this.meter = parts.meter;
    this.progressAt = parts.progressAt;
    this.markRounds = parts.markRounds;
    this.now = parts.now;
    this.kind = parts.kind;
    this.sureBytes = this.sureAtFirst();
  }

  private sureAtFirst(): number {
    return this.kind === 'stream' ? Math.max(0, this.hold.tokensLeft(0)) : Infinity;
  }

  /** Another channel is tried: what the last one said has reached nobody. */
  restart(): void {
    this.bytes = 0;
    this.openBytes = 0;
    this.unpaid = undefined;
    this.counted = undefined;
    this.isOpen = false;
    this.isMedia = false;
    this.isReportTried = false;
    this.meter.clear();
    this.sureBytes = this.sureAtFirst();
  }

  /** The first piece is there: the hold, without which it may not leave, should not wait for others any more. */
  begin(): void {
    if (this.isDurable) this.markedAt = this.now();
    this.ledger.endDeferral(this.requestId);
  }

  /** The hold is durable: what was admitted leaves from now on, and a crash may charge for it. */
  deliver(): void {
    this.isDurable = true;
    this.markedAt = this.now();
  }

  /**
   * So many bytes of what came are surely held for; what lies beyond is to be read an event at a time. None are where
   * an image or a sound may stand among them, or in the event that they go on with.
   */
  roomIn(pipe: AnswerPipe, arrived: Buffer): number {
    this.isSuspect = this.kind === 'stream' && this.mayHoldMedia(pipe, arrived);
    return this.isSuspect ? 0 : this.sureBytes - this.bytes;
  }

  private mayHoldMedia({ mediaMarks }: AnswerPipe, arrived: Buffer): boolean {
    return (
      mediaMarks !== undefined && (this.openBytes > 0 || mediaMarks.some((mark) => arrived.includes(mark)))
    );
  }

  /** Called before `pipe` reads a chunk. */
  read(pipe: AnswerPipe, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.sureBytes === Infinity) return;
    if (this.isSuspect) this.isMedia ||= this.mayHoldMedia(pipe, chunk);
    this.noteOpen(chunk);
    if (this.bytes > this.sureBytes || this.isMedia) {
      const text = pipe.takeText();
      if (this.isOpen) this.unpaid = join(this.unpaid, text);
      else this.meter.add(text);
    }
    this.isOpen = true;
  }

  private noteOpen(chunk: Buffer): void {
    if (endsEvent(chunk)) this.openBytes = 0;
    else {
      const end = lastEventEnd(chunk);
      this.openBytes = end < 0 ? this.openBytes + chunk.length : chunk.length - end;
    }
  }

  /** Called for each piece before it is delivered, `pipe` having read it; and again when it had to wait. */
  admit(pipe: AnswerPipe): Verdict {
    const known = this.learn(pipe);
    if (known !== 'deliver') return known;
    if (this.bytes > this.sureBytes || this.isMedia) {
      const verdict = this.check(pipe);
      if (verdict !== 'deliver') return verdict;
      const left = Math.max(0, this.hold.tokensLeft(this.meter.most, this.meter.mostMedia()));
      // Bytes of an event that is not whole yet have been read, but their text is still to come.
      this.sureBytes = this.bytes - this.openBytes + Math.floor(left / 2);
    }
    this.isOpen = false;
    this.isMedia = false;
    if (this.now() - this.markedAt >= markEveryMs) {
      this.markedAt = this.now();
      this.meter.add(pipe.takeText());
      this.markRounds.add(() => this.mark());
    }
    return 'deliver';
  }

  /** What the vendor has reported by now is held for before anything goes on. */
  private learn(pipe: AnswerPipe): Verdict {
    if (this.kind !== 'stream') return 'deliver';
    const reported = pipe.takeReport?.();
    if (reported) this.hold.learn(reported);
    return this.hold.coversReported ? 'deliver' : this.grow();
  }

  /** Called with the end of a whole answer before anything of it leaves; and again when it had to wait. */
  admitEnd(pipe: AnswerPipe, end: AnswerEnd): Verdict {
    // What cannot be is not charged, and nobody's answer is cut for it.
    const usage = end.usage && isBelievable(end.usage) ? end.usage : undefined;
    const cost = usage && this.hold.costOf(usage);
    if (this.kind === 'media' || end.tail === undefined) return 'deliver';
    if (cost !== undefined && cost <= this.hold.amount) return 'deliver';
    this.unpaid = join(this.unpaid, pipe.takeText());
    // A mere end marker is nothing to hold for.
    if (mostTokensOf(this.unpaid) === 0 && !this.unpaid.media) return 'deliver';
    if (cost !== undefined && !this.isReportTried) {
      this.isReportTried = true;
      return this.grow(cost);
    }
    // An answer in one piece was asked for no longer than its hold: if its text is, what is reported beyond is hidden.
    if (usage && this.kind === 'stream') return this.refuse();
    return this.check(pipe);
  }

  private mark(): void {
    // Counted, not bounded: after a crash nobody pays for output that was not delivered. The count runs behind.
    this.meter
      .total()
      .then((delivered) => this.progressAt(delivered))
      .then(
        ({ cost, note }) => this.ledger.mark(this.requestId, cost, note),
        () => undefined,
      );
  }

  private check(pipe: AnswerPipe): Verdict {
    const unpaid = join(this.unpaid, pipe.takeText());
    this.unpaid = unpaid;
    const { hold, counted } = this;
    const tokens = counted ?? this.meter.most + mostTokensOf(unpaid);
    const media = this.meter.mostMedia(unpaid.media);
    const left = hold.tokensLeft(tokens, media);
    // Where there is plenty the hold grows while a fifth of it is left, so that nobody has to wait for it.
    if (hold.isPlenty && left * 5 < hold.tokensLeft(0)) hold.extend();
    if (left >= 0) {
      this.meter.add(unpaid, counted);
      this.unpaid = undefined;
      this.counted = undefined;
      // Others may end meanwhile: what was refused once may be asked for again.
      hold.exhausted = false;
      return 'deliver';
    }
    if (hold.isPlenty || counted !== undefined) return this.grow(hold.costAt(tokens, media));
    return this.countExactly(unpaid);
  }

  private async countExactly(unpaid: DeliveredText): Promise<void> {
    try {
      this.counted = await this.meter.totalAtMost(unpaid);
    } catch {
      // Where nothing can be counted, the bound decides: a piece that waits must not wait for ever.
      this.counted = this.meter.most + mostTokensOf(unpaid);
    }
  }

  /** Enlarges the hold to `cost`, or to what was reported; when it cannot grow the answer is cut. */
  private grow(cost = 0): Verdict {
    this.hold.extend(cost);
    return this.hold.extending ?? this.refuse();
  }

  /** What is not delivered is not counted. */
  private refuse(): Verdict {
    this.unpaid = undefined;
    this.counted = undefined;
    return 'cut';
  }
}

function join(before: DeliveredText | undefined, text: DeliveredText): DeliveredText {
  if (!before) return text;
  const media = addedMedia(before.media, text.media);
  return {
    output: before.output + text.output,
    reasoning: before.reasoning + text.reasoning,
    toolCalls: before.toolCalls + text.toolCalls,
    omitted: before.omitted + text.omitted,
    ...(media && { media }),
  };
}

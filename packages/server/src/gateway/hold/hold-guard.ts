import { isPlausible } from '@tollgate/contract';
import { endsEvent, lastEventEnd } from '../../lib/sse/index.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type DeliveredText,
  toolUseMarks,
} from '../../relay/types/index.ts';
import type { RequestLedger } from '../../services/money/ledger/index.ts';
import type { Amounts, Hold } from './hold.ts';
import { addedMedia, type Meter, tokenBoundOf } from './meter.ts';
import { type MarkRounds, type ProgressAt, ProgressMarks } from './progress.ts';

/**
 * Text in events, which can be cut; an answer in one piece, which is delivered whole or not at all; images and sound,
 * whose whole cost is held before they are requested.
 */
type AnswerKind = 'stream' | 'whole' | 'media';

/** Decision on a piece of the answer; with a promise: check again when it has resolved. */
export type Verdict = 'deliver' | 'cut' | Promise<void>;

/**
 * Delivers only what the hold covers: extends the hold before it is used up, writes progress marks for recovery, and
 * decides when the balance has ended. A byte from the upstream is at most one token of text, so text is examined only
 * when the bytes could have reached the hold, and counted exactly only when the balance is not ample. An image of few
 * bytes may cost thousands of tokens, as may the use of a tool: these are always examined.
 */
export class HoldGuard {
  private readonly ledger: Pick<RequestLedger, 'endDeferral' | 'mark'>;
  private readonly requestId: string;
  private readonly hold: Hold;
  private readonly meter: Meter;
  private readonly progressAt: ProgressAt;
  private readonly kind: AnswerKind;
  /** Detects announced uses of tools; absent if no offered tool is charged by use. */
  private readonly useMarks: readonly Buffer[] | undefined;
  /** Bytes that went into the pipe. */
  private bytes = 0;
  /** The part of them in an incomplete event. */
  private openBytes = 0;
  /** Up to this number of bytes is covered, with any content. */
  private sureBytes: number;
  /** True while the piece that was read last has not been admitted: its text is not delivered. */
  private isOpen = false;
  /** True if the chunk that arrived last may contain an image, sound or a tool's use; if the part read last may. */
  private isSuspect = false;
  private isMedia = false;
  /** Text that was read and is not admitted yet. */
  private unpaid: DeliveredText | undefined;
  /** The exact count of all text including the unpaid one, once it was made. */
  private counted: number | undefined;
  private readonly marks: ProgressMarks;
  /** The reader of the answer; undefined before the first admitted piece. */
  private pipe: AnswerPipe | undefined;
  /** No mark is written before the hold is durable. */
  private isDurable = false;
  /** True once an extension of the hold to the usage reported at the end was tried. */
  private isReportTried = false;

  constructor(parts: {
    ledger: Pick<RequestLedger, 'endDeferral' | 'mark'>;
    requestId: string;
    hold: Hold;
    meter: Meter;
    /** The amount that a crash would charge. */
    progressAt: ProgressAt;
    markRounds: Pick<MarkRounds, 'add' | 'delete'>;
    now: () => number;
    kind: AnswerKind;
  }) {
    this.ledger = parts.ledger;
    this.requestId = parts.requestId;
    this.hold = parts.hold;
    this.meter = parts.meter;
    this.progressAt = parts.progressAt;
    this.marks = new ProgressMarks(parts.markRounds, parts.now, () => this.writeMark());
    this.kind = parts.kind;
    this.useMarks = parts.hold.coversUses ? toolUseMarks : undefined;
    this.sureBytes = this.sureAtFirst();
  }

  private sureAtFirst(): number {
    return this.kind === 'stream' ? Math.max(0, this.hold.tokensLeft(0)) : Infinity;
  }

  /** Another channel is tried: the output of the last one was not delivered. */
  restart(): void {
    this.bytes = 0;
    this.openBytes = 0;
    this.unpaid = undefined;
    this.counted = undefined;
    this.isOpen = false;
    this.isMedia = false;
    this.isReportTried = false;
    this.pipe = undefined;
    this.meter.clear();
    this.sureBytes = this.sureAtFirst();
  }

  /** The first piece has arrived: the hold that it needs is not deferred any longer. */
  begin(): void {
    this.ledger.endDeferral(this.requestId);
  }

  /** The hold is durable: admitted pieces are sent from now on, and a crash may charge for them. */
  deliver(): void {
    this.isDurable = true;
    if (this.pipe) this.marks.noteDelivered();
  }

  /**
   * Number of bytes of `arrived` that the hold certainly covers; the rest is read event by event. Zero if an image,
   * sound or the use of a tool may be among them, or in the event that they continue.
   */
  roomIn(pipe: AnswerPipe, arrived: Buffer): number {
    this.isSuspect = this.kind === 'stream' && this.mayHoldMedia(pipe, arrived);
    return this.isSuspect ? 0 : this.sureBytes - this.bytes;
  }

  private mayHoldMedia({ mediaMarks }: AnswerPipe, arrived: Buffer): boolean {
    const { useMarks } = this;
    if (mediaMarks === undefined && useMarks === undefined) return false;
    const isIn = (mark: Buffer): boolean => arrived.includes(mark);
    return this.openBytes > 0 || mediaMarks?.some(isIn) === true || useMarks?.some(isIn) === true;
  }

  /** Called before `pipe` reads a chunk. */
  read(pipe: AnswerPipe, chunk: Buffer): void {
    this.bytes += chunk.length;
    this.hold.isReportCurrent = false;
    if (this.sureBytes === Infinity) {
      this.isOpen = true;
      return;
    }
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

  /** Called for each piece after `pipe` has read it and before it is delivered; and again when it had to wait. */
  admit(pipe: AnswerPipe): Verdict {
    if (this.marks.hasFailed) {
      this.hold.ledgerFailed = true;
      return this.refuse();
    }
    const marking = this.marks.whenWritten();
    if (marking) return marking;
    const ofReported = this.admitReported(pipe);
    if (ofReported !== 'deliver') return ofReported;
    if (this.bytes > this.sureBytes || this.isMedia) {
      const verdict = this.check(pipe);
      if (verdict !== 'deliver') return verdict;
      const left = Math.max(0, this.hold.tokensLeft(this.meter.upperBound, this.meter.mediaBound()));
      // Bytes of an incomplete event have been read, but their text is still to come.
      this.sureBytes = this.bytes - this.openBytes + Math.floor(left / 2);
    }
    this.isOpen = false;
    this.isMedia = false;
    this.pipe = pipe;
    if (this.isDurable) this.marks.noteDelivered();
    return 'deliver';
  }

  /** Marks the delivered output; not while a piece that was read waits, because its text cannot be separated from the delivered text. */
  private writeMark(): Promise<void> | undefined {
    if (this.isOpen || !this.pipe) return undefined;
    this.meter.add(this.pipe.takeText());
    return this.mark();
  }

  /** The answer is over. */
  end(): void {
    this.marks.end();
  }

  /** The usage that the vendor has reported so far is held for before anything else is delivered. */
  private admitReported(pipe: AnswerPipe): Verdict {
    if (this.kind !== 'stream') return 'deliver';
    const reported = pipe.takeReport?.();
    if (reported) {
      this.hold.noteReported(reported);
      this.hold.isReportCurrent = true;
    }
    return this.hold.covers(this.hold.reported) ? 'deliver' : this.grow();
  }

  /** Called with the end of an answer before it is sent; and again when it had to wait. */
  admitEnd(pipe: AnswerPipe, end: AnswerEnd): Verdict {
    // An absurd usage is not charged, and no answer is cut for it.
    const usage = end.usage && isPlausible(end.usage) ? end.usage : undefined;
    const need = usage && this.hold.needOf(usage);
    this.hold.isReportCurrent = usage !== undefined;
    if (this.kind === 'media' || end.tail === undefined) return 'deliver';
    if (need && need.quota <= this.hold.amount && need.tokens <= this.hold.tokens) return 'deliver';
    this.unpaid = join(this.unpaid, pipe.takeText());
    // An end marker alone needs no hold.
    if (tokenBoundOf(this.unpaid) === 0 && !this.unpaid.media) return 'deliver';
    if (need && !this.isReportTried) {
      this.isReportTried = true;
      return this.grow(need);
    }
    // An answer in one piece was limited to its hold: if its text is within it, the rest of the usage is hidden reasoning.
    if (usage && this.kind === 'stream') return this.refuse();
    return this.check(pipe);
  }

  private async mark(): Promise<void> {
    // By the count, not the upper bound: output that was not delivered is not charged after a crash. The count is
    // delayed.
    const delivered = await this.meter.total().catch(() => this.meter.known);
    const { cost, note, tokens } = await this.progressAt(delivered);
    await this.ledger.mark(this.requestId, cost, note, tokens);
  }

  private check(pipe: AnswerPipe): Verdict {
    const unpaid = join(this.unpaid, pipe.takeText());
    this.unpaid = unpaid;
    const { hold, counted } = this;
    const tokens = counted ?? this.meter.upperBound + tokenBoundOf(unpaid);
    const media = this.meter.mediaBound(unpaid.media);
    const left = hold.tokensLeft(tokens, media);
    // With an ample balance the hold is extended while a fifth of it is left, so that the answer need not wait for it.
    if (hold.coversLongestAnswer && left * 5 < hold.tokensLeft(0)) hold.extend();
    if (left >= 0) {
      this.meter.add(unpaid, counted);
      this.unpaid = undefined;
      this.counted = undefined;
      // Other requests may end meanwhile: an extension that was refused once may be tried again.
      hold.exhausted = false;
      return 'deliver';
    }
    if (hold.coversLongestAnswer || counted !== undefined) return this.grow(hold.needAt(tokens, media));
    return this.countExactly(unpaid);
  }

  private async countExactly(unpaid: DeliveredText): Promise<void> {
    try {
      this.counted = await this.meter.totalBound(unpaid);
    } catch {
      // If nothing can be counted, the upper bound decides: a piece must not wait for ever.
      this.counted = this.meter.upperBound + tokenBoundOf(unpaid);
    }
  }

  /** Extends the hold to `need`, or to the reported usage; if it cannot be extended the answer is cut. */
  private grow(need?: Amounts): Verdict {
    this.hold.extend(need);
    return this.hold.extending ?? this.refuse();
  }

  /** Text that is not delivered is not counted. */
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

import { setTimeout as sleep } from 'node:timers/promises';
import { price, usageOf } from '@tollgate/contract';
import { noteProgress } from '../../services/calls/metering/index.ts';
import type { CountedRequest, RelayCall, Rounds } from '../call/index.ts';
import { type Hold, moreUses, tokensOf } from './hold.ts';
import type { DeliveredTokens } from './meter.ts';

/** The charge after a crash at this point of an answer (quota units), with its explanation. */
interface Progress {
  cost: number;
  note?: string;
  /** Tokens in and out so far, which the note explains. */
  tokens?: number;
}

/** Prices what was delivered so far. */
export type ProgressAt = (delivered: DeliveredTokens) => Promise<Progress>;

/** Maximum wait of a mark for the count of the input, in ms: it must be on disk soon (`ProgressMarks`). */
const longestCountMs = 200;
/** Correction of the estimate, which has a token per three bytes: nearly every text has one per five. */
const surelyOfEstimate = 0.6;

/**
 * Prices progress by counted tokens, as the bill would be: the input is counted once, for answers that last a second or
 * more. While many long inputs are counted, the first mark has a low estimate of its input. Images and sound are noted as
 * they are held for.
 */
export function measureProgress(
  deps: { countPrompt(request: CountedRequest): Promise<number> },
  relayCall: RelayCall,
  hold: Hold,
): ProgressAt {
  const { facts } = relayCall;
  let counting: Promise<void> | undefined;
  const countInput = async (): Promise<void> => {
    try {
      hold.countedInput = await deps.countPrompt(relayCall);
    } catch {
      // Parts that cannot be counted are estimated, as in the bill.
      hold.countedInput ??= Math.min(hold.inputTokens, facts.estimatedInputTokens);
    }
  };
  return async (delivered) => {
    const { output, reasoning } = delivered;
    if (facts.media) return { cost: hold.costAt(output + reasoning) };
    if (!counting) {
      counting = countInput();
      await Promise.race([counting, sleep(longestCountMs, undefined, { ref: false })]);
    }
    const input = hold.countedInput ?? Math.floor(facts.estimatedInputTokens * surelyOfEstimate);
    const { reportedUses } = hold;
    const usage = usageOf({
      ...delivered,
      ...(reportedUses && moreUses(delivered, reportedUses)),
      input,
    });
    return {
      cost: price(usage, hold.snapshot).quota,
      note: noteProgress(hold.note, usage, hold.snapshot),
      tokens: tokensOf(usage),
    };
  };
}

/** Delivered output of this duration, in ms, that a crash may lose. */
const everyMs = 100;
/** The first round after this time marks what was delivered, in ms. */
const markAfterMs = 800;
/** A mark is usually on disk by then. If it is not, nothing more is delivered until it is. In ms. */
const longestBehindMs = 1_200;

/**
 * Keeps the progress marks of an answer about a second behind the delivery, and the delivery at most about a second
 * ahead of them.
 */
export class ProgressMarks {
  /** Unix ms of the oldest delivery that is in no mark. */
  private unmarkedSince: number | undefined;
  /** Unix ms of the oldest delivery in the mark that is not on disk yet. */
  private unwrittenSince = 0;
  private writing: Promise<void> | undefined;
  /** True if a mark could not be written, and none will be. */
  hasFailed = false;
  private readonly rounds: Rounds;
  private readonly now: () => number;
  private readonly write: () => Promise<void> | undefined;

  /** `write` marks everything delivered, and resolves when that is on disk; undefined if it must be called again. */
  constructor(rounds: Rounds, now: () => number, write: () => Promise<void> | undefined) {
    this.rounds = rounds;
    this.now = now;
    this.write = write;
  }

  /** A piece is delivered. */
  noteDelivered(): void {
    if (this.unmarkedSince !== undefined) return;
    this.unmarkedSince = this.now();
    this.rounds.add(this);
  }

  /** One mark is under way at a time. */
  markIfDue(): void {
    if (this.writing || this.unmarkedSince === undefined) return;
    if (this.isWithin(markAfterMs, this.unmarkedSince)) return;
    const writing = this.write();
    if (!writing) return;
    this.unwrittenSince = this.unmarkedSince;
    this.unmarkedSince = undefined;
    this.writing = writing
      .catch(() => {
        this.hasFailed = true;
      })
      .finally(() => {
        this.writing = undefined;
      });
  }

  /** Resolves when more may be delivered; undefined if it may be now. */
  whenWritten(): Promise<void> | undefined {
    return this.isWithin(longestBehindMs, this.unwrittenSince) ? undefined : this.writing;
  }

  /** Returns false if the clock was set back, because the elapsed time is unknown. */
  private isWithin(ms: number, since: number): boolean {
    const past = this.now() - since;
    return past >= 0 && past < ms;
  }

  /** The answer is over. */
  end(): void {
    this.rounds.delete(this);
  }
}

/**
 * Writes the progress marks of open answers in rounds: those of one round share a message to the thread that counts tokens
 * and a transaction of the ledger, which cost more than the marks themselves.
 */
export class MarkRounds implements Rounds {
  private readonly answers = new Set<{ markIfDue(): void }>();
  private timer: NodeJS.Timeout | undefined;

  /** Marks an answer when that is due, until it is deleted. */
  add(answer: { markIfDue(): void }): void {
    this.answers.add(answer);
    // A waiting mark does not keep the process alive: a call that ends normally is settled and needs no mark.
    this.timer ??= setInterval(() => this.run(), everyMs).unref();
  }

  delete(answer: { markIfDue(): void }): void {
    this.answers.delete(answer);
  }

  private run(): void {
    for (const answer of this.answers) answer.markIfDue();
    if (this.answers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

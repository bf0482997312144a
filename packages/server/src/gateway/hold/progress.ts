import { setTimeout as sleep } from 'node:timers/promises';
import { price, usageOf } from '@tollgate/contract';
import { noteProgress } from '../../services/calls/metering/index.ts';
import { type Hold, moreUses } from './hold.ts';
import type { DeliveredTokens } from './meter.ts';
import type { CountedRequest, RelayCall } from '../call/index.ts';

/** What a crash would charge for so much of an answer (quota units), and the note that explains it. */
export interface Progress {
  cost: number;
  note?: string;
}

/** Prices what was delivered so far. */
export type ProgressAt = (delivered: DeliveredTokens) => Promise<Progress>;

/** A mark waits so long for the count of the input, in ms: it must be on disk soon (`ProgressMarks`). */
const longestCountMs = 200;
/** Of the estimate, which has a token for three bytes: nearly every text has a token for five. */
const surelyOfEstimate = 0.6;

/**
 * Prices progress by counted tokens, as the bill would be: the input is counted once, for answers that last a second or
 * more. While many long inputs are counted, the first mark has a low estimate of its input. Images and sound are noted as
 * they are held for.
 */
export function progressOf(
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
      // What cannot be counted is estimated, as in the bill.
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
    };
  };
}

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

/**
 * Prices progress by counted tokens, as the bill would be: the input is counted once, for answers that last a second or
 * more. Images and sound are noted as they are held for.
 */
export function progressOf(
  deps: { countPrompt(request: CountedRequest): Promise<number> },
  relayCall: RelayCall,
  hold: Hold,
): ProgressAt {
  let input: Promise<number> | undefined;
  return async (delivered) => {
    const { output, reasoning } = delivered;
    if (relayCall.facts.media) return { cost: hold.costAt(output + reasoning) };
    input ??= deps.countPrompt(relayCall);
    hold.countedInput = await input;
    const { reportedUses } = hold;
    const usage = usageOf({
      ...delivered,
      ...(reportedUses && moreUses(delivered, reportedUses)),
      input: hold.countedInput,
    });
    return {
      cost: price(usage, hold.snapshot).quota,
      note: noteProgress(hold.note, usage, hold.snapshot),
    };
  };
}

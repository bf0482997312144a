import type { Usage, UsageCounter } from '@tollgate/contract';
import type { ComputedUsage } from '../hold/index.ts';
import type { Outcome } from '../journey/index.ts';
import type { GatewayDeps } from '../call/index.ts';

/** A part of a usage that Tollgate determined itself. */
export interface ComputedCount {
  counts: Partial<Usage>;
  /** The part of them that could not be counted. */
  estimates: readonly UsageCounter[];
}

type CountDeps = Pick<GatewayDeps, 'countPrompt' | 'log'>;

/** The counted input; if nothing can be counted, the count for the hold, or the estimate by the size of its body. */
export async function countInput(deps: CountDeps, { sent, hold }: Outcome): Promise<ComputedCount> {
  try {
    return { counts: { input: await deps.countPrompt(sent) }, estimates: [] };
  } catch (cause) {
    warn(deps, sent.requestId, cause);
    const { countedInput } = hold;
    if (countedInput !== undefined) return { counts: { input: countedInput }, estimates: [] };
    return { counts: { input: sent.facts.estimatedInputTokens }, estimates: ['input'] };
  }
}

/** The delivered output, counted. If the rest cannot be counted, its bytes are used. */
export async function countOutput(deps: CountDeps, { relayCall, meter }: Outcome): Promise<ComputedCount> {
  try {
    const counts = await meter.total();
    return { counts, estimates: mediaIn(counts) };
  } catch (cause) {
    warn(deps, relayCall.requestId, cause);
    const counts = meter.known;
    return { counts, estimates: ['output', 'reasoning', ...mediaIn(counts)] };
  }
}

/** Images and sound are not counted but computed from size or length. */
const mediaIn = ({ imageOutput = 0, audioOutput = 0 }: Partial<Usage>): UsageCounter[] =>
  imageOutput + audioOutput > 0 ? ['imageOutput', 'audioOutput'] : [];

function warn({ log }: CountDeps, request: string, cause: unknown): void {
  log.warn({ request, err: cause }, 'tokens could not be counted and are estimated');
}

/** The reported usage plus Tollgate's own part. An estimate never exceeds the hold. */
export function computedUsage(
  { hold }: Outcome,
  reported: Usage,
  ...found: readonly ComputedCount[]
): ComputedUsage {
  const usage: Usage = Object.assign({ ...reported }, ...found.map(({ counts }) => counts));
  const estimates = found.toReversed().flatMap((each) => each.estimates);
  if (estimates.length === 0) return { usage, source: 'counted' };
  return { usage: hold.lowerToHold(usage, estimates), source: 'estimated' };
}

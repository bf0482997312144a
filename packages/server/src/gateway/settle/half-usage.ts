import { inputTokens, outputTokens, type Usage } from '@tollgate/contract';
import type { ComputedUsage } from '../hold/index.ts';
import type { Journey } from '../journey/index.ts';
import type { SettleDeps } from './settle-deps.ts';
import { inputOf, outputOf, computedUsage } from './computed-count.ts';

/**
 * A reported usage with its missing side counted: a vendor may report only the prompt although it has answered. Undefined if
 * nothing is missing. Images and sound are computed from their requests.
 */
export async function missingHalf(
  deps: Pick<SettleDeps, 'countPrompt' | 'log'>,
  journey: Journey,
  usage: Usage,
): Promise<ComputedUsage | undefined> {
  const { relayCall, attempt, meter } = journey;
  if (relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return computedUsage(journey, usage, await inputOf(deps, journey));
  const text = attempt?.pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and similar calls have no output, and none was estimated for them.
  if (meter.upperBound === 0 && !meter.mediaBound()) return undefined;
  return computedUsage(journey, usage, await outputOf(deps, journey));
}

import { inputTokens, outputTokens, type Usage } from '@tollgate/contract';
import type { OwnUsage } from '../hold/index.ts';
import type { Journey } from '../journey/index.ts';
import type { SettleDeps } from './settle-deps.ts';
import { inputOf, outputOf, ownUsage } from './own-count.ts';

/**
 * A reported usage with the side that it leaves out, counted here: a vendor that reports the prompt alone has answered
 * all the same. Undefined where nothing is missing. Images and sound are counted by their requests.
 */
export async function missingHalf(
  deps: Pick<SettleDeps, 'countPrompt' | 'log'>,
  journey: Journey,
  usage: Usage,
): Promise<OwnUsage | undefined> {
  const { relayCall, attempt, meter } = journey;
  if (relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return ownUsage(journey, usage, await inputOf(deps, journey));
  const text = attempt?.pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and the like write nothing, and nothing was estimated for them.
  if (meter.most === 0 && !meter.mostMedia()) return undefined;
  return ownUsage(journey, usage, await outputOf(deps, journey));
}

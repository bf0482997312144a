import { inputTokens, outputTokens, type Usage } from '@tollgate/contract';
import type { OwnUsage } from '../hold/index.ts';
import type { Journey } from '../journey/index.ts';
import type { SettleDeps } from './settle-deps.ts';
import { inputOf, outputOf, ownUsage } from './own-count.ts';

/**
 * The usage that was told, with the side counted here that it leaves out: a vendor that tells the prompt alone has
 * answered all the same. undefined where nothing is missing. Images and sound are counted by their requests.
 */
export function missingHalf(
  deps: Pick<SettleDeps, 'countPrompt' | 'log'>,
  journey: Journey,
  usage: Usage | undefined,
): Promise<OwnUsage> | undefined {
  const { relayCall, attempt, meter } = journey;
  if (!usage || relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return inputOf(deps, journey).then((input) => ownUsage(journey, usage, input));
  const text = attempt?.pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and the like write nothing, and nothing was estimated for them.
  if (meter.most === 0 && !meter.mostMedia()) return undefined;
  return outputOf(deps, journey).then((output) => ownUsage(journey, usage, output));
}

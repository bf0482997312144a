import { inputTokens, outputTokens, type Usage } from '@tollgate/contract';
import type { SettleDeps, Journey } from '../journey/index.ts';

/**
 * The usage that was told, with the side counted here that it leaves out: a vendor that tells the prompt alone has
 * answered all the same. undefined where nothing is missing. Images and sound are counted by their requests.
 */
export function missingHalf(
  deps: Pick<SettleDeps, 'countPrompt'>,
  { relayCall, attempt, meter }: Journey,
  usage: Usage | undefined,
): Promise<Usage | undefined> | undefined {
  if (!usage || relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return deps.countPrompt(relayCall).then((input) => ({ ...usage, input }));
  const text = attempt?.pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and the like write nothing, and nothing was estimated for them.
  if (meter.most === 0) return undefined;
  return meter.total().then(({ output, reasoning }) => ({ ...usage, output, reasoning }));
}

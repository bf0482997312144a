import { counter, type Usage, usageOf } from '@tollgate/contract';
import { type Json, objectOf } from '../../../lib/json.ts';

/**
 * The usage in `metadata` of a message: what the models of the application took in all its steps. undefined where it
 * tells of no tokens, which applications without a model of their own do.
 */
export function readDifyUsage(metadata: Json | undefined): Usage | undefined {
  const { usage } = objectOf(metadata);
  const raw = objectOf(usage);
  const [input, output] = [counter(raw.prompt_tokens), counter(raw.completion_tokens)];
  if (input + output > 0) return usageOf({ input, output });
  const total = counter(raw.total_tokens);
  return total > 0 ? usageOf({ input: total }) : undefined;
}

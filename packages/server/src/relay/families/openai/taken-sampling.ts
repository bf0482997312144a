import type { ChatRequest, RequestContext, Sampling } from '../../types/index.ts';
import { refusesSampling } from './reasoning-effort.ts';

/** What is refused beside thoughts, and the value that each has in any case. */
const refused = {
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logprobs: false,
  topLogprobs: 0,
} as const satisfies Partial<Record<keyof Sampling, unknown>>;

/**
 * The sampling of a request that a model takes: callers of other protocols send some with every call, and a model of
 * OpenAI's that thinks would refuse the whole call for it. What is left out is named, but for values that are usual.
 */
export function takenSampling(
  { sampling }: Pick<ChatRequest, 'sampling'>,
  effort: string,
  { model, drop }: Pick<RequestContext, 'model' | 'drop'>,
): Sampling {
  if (!refusesSampling(model, effort === '' ? undefined : effort)) return sampling;
  const taken: Sampling = { ...sampling };
  for (const name of Object.keys(refused) as (keyof typeof refused)[]) {
    const value = sampling[name];
    if (value !== undefined && value !== refused[name]) drop(name);
    delete taken[name];
  }
  return taken;
}

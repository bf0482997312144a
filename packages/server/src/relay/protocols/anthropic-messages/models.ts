/**
 * What differs between the generations of Claude, by the name. A name that says no number is taken for a new model,
 * because only new ones appear under new names.
 */

/** Major and minor version in a model name: `claude-3-7-sonnet-…` and `claude-opus-4-6` alike. */
function versionOf(model: string): number {
  if (/claude-(2|instant)/.test(model)) return 2;
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  return found ? Number(found[1]) + Number(found[2] ?? 0) / 100 : Number.POSITIVE_INFINITY;
}

/** Thinks as much as it finds right (`adaptive`, with an effort) instead of up to a budget: from 4.6 on. */
export const thinksAdaptively = (model: string): boolean => versionOf(model) >= 4.06;

/** Thinks at all: from 3.7 on. */
export const canThink = (model: string): boolean => versionOf(model) >= 3.07;

/** Knows temperature, top_p and top_k: the models from 4.7 on refuse them. */
export const takesSampling = (model: string): boolean => versionOf(model) < 4.07;

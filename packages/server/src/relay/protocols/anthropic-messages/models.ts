import { claudeVersion, isAdaptiveClaude } from '@tollgate/contract';

// Differences between the generations of Claude, by name. Models of other vendors get the request unchanged.

/** True for Claude: the vendor refuses some combinations of fields. */
export const isClaude = (model: string): boolean => claudeVersion(model) !== undefined;

/** True for models that choose the amount of thinking themselves (`adaptive`, with an effort) instead of a budget. */
export const thinksAdaptively = isAdaptiveClaude;

/** True for models that can think: 3.7 and later. */
export const canThink = (model: string): boolean => (claudeVersion(model) ?? Infinity) >= 3.07;

/** The setting that turns a model's thinking off; undefined for models that always think. */
export function thinkingOff(model: string): 'disabled' | 'between_tools' | undefined {
  const version = claudeVersion(model);
  if (version === undefined) return 'disabled';
  const isNewest =
    /fable|mythos/.test(model) || (/opus/.test(model) && Number.isFinite(version) && version >= 5.05);
  if (isNewest || !canThink(model)) return undefined;
  // platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5
  return /sonnet/.test(model) && Number.isFinite(version) && version >= 5.05 ? 'between_tools' : 'disabled';
}

/** True for models with temperature, top_p and top_k: the models from 4.7 on refuse them. */
export const takesSampling = (model: string): boolean => (claudeVersion(model) ?? 0) < 4.07;

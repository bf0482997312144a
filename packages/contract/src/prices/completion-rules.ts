import { entryOf } from './entry.ts';
import { vendorRatios } from './vendors/index.ts';

interface Rule {
  /** What the name must look like. */
  name: RegExp;
  ratio: number;
}

/**
 * Ratios of model families (docs/compatibility.md#default-prices), the first match counts. They stand in where the
 * option names no ratio; unlike in the original none is locked, so an administrator's entry always wins.
 */
const rules: readonly Rule[] = [
  { name: /^gpt-4o-2024-05-13$/, ratio: 3 },
  { name: /^gpt-4o-mini-tts/, ratio: 20 },
  { name: /^gpt-4o(?!.*-all$|-gizmo)/, ratio: 4 },
  { name: /^gpt-4\.5-preview/, ratio: 2 },
  { name: /^gpt-4\.1/, ratio: 4 },
  { name: /^gpt-4-turbo|gpt-4-110[56]$/, ratio: 3 },
  { name: /^gpt-4/, ratio: 2 },
  { name: /^gpt-5\.4-nano/, ratio: 6.25 },
  { name: /^gpt-5\.[45]/, ratio: 6 },
  { name: /^gpt-5/, ratio: 8 },
  { name: /^o[134]/, ratio: 4 },
  { name: /^chatgpt-4o-latest$/, ratio: 3 },
  { name: /claude-3|claude-(sonnet|opus|haiku)-4/, ratio: 5 },
  { name: /claude-instant-1|claude-2/, ratio: 3 },
  { name: /^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, ratio: 3 },
  { name: /^gpt-3\.5.*1106$/, ratio: 2 },
  { name: /^gpt-3\.5/, ratio: 4 / 3 },
  { name: /^mistral-/, ratio: 3 },
  { name: /^gemini-(1\.5|2\.0)/, ratio: 4 },
  { name: /^gemini-2\.5-pro/, ratio: 8 },
  { name: /^gemini-2\.5-flash-preview.*-nothinking$/, ratio: 4 },
  { name: /^gemini-2\.5-flash-preview/, ratio: 3.5 / 0.6 },
  { name: /^gemini-2\.5-flash-lite/, ratio: 4 },
  { name: /^gemini-2\.5-flash/, ratio: 2.5 / 0.3 },
  { name: /^gemini-3-pro/, ratio: 6 },
  { name: /^gemini-/, ratio: 4 },
  { name: /^command-r$/, ratio: 3 },
  { name: /^command-r-plus$/, ratio: 5 },
  { name: /^command/, ratio: 4 },
  { name: /^deepseek-(chat|reasoner)$/i, ratio: 1.5 },
  { name: /^ERNIE-(Speed-|Lite-|Character|Functions)/, ratio: 2 },
  { name: /^llama2-70b-4096$/, ratio: 1.25 },
  { name: /^llama3-8b-8192$/, ratio: 2 },
  { name: /^llama3-70b-8192$/, ratio: 0.79 / 0.59 },
];

/** The completion ratio of a model: the administrator's entry, else its vendor's, else its family's, else 1. */
export function completionRatioFor(model: string, option: Readonly<Record<string, number>>): number {
  const known = entryOf(option, model) ?? entryOf(vendorRatios.completion, model);
  return known ?? rules.find((rule) => rule.name.test(model))?.ratio ?? 1;
}

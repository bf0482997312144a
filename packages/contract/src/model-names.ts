/**
 * Suffixes of model names by family. Providers turn a suffix into fields. A name without a price of its own costs as
 * much as the name without the suffix (docs/compatibility.md#name-suffixes has this table).
 */
export interface SuffixFamily {
  /** True for names without a suffix. */
  has: (model: string) => boolean;
  /** Without the dash; `thinking-N` has any number of tokens. */
  suffixes: readonly string[];
}

/** OpenAI's efforts. */
export const openaiEfforts = ['high', 'minimal', 'low', 'medium', 'none', 'xhigh'] as const;

/**
 * Major and minor version in the name of a Claude: `claude-3-7-sonnet-…` and `claude-opus-4-6` alike. A Claude without a
 * number is taken for a new one, because only new ones appear under new names. Undefined for models of others, which other
 * servers have behind the same protocol: no rule of Claude's generations applies to them.
 */
export function claudeVersion(model: string): number | undefined {
  if (!model.includes('claude')) return undefined;
  if (/claude-(2|instant)/.test(model)) return 2;
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  return found ? Number(found[1]) + Number(found[2] ?? 0) / 100 : Number.POSITIVE_INFINITY;
}

/** A Claude that thinks as much as it finds right, with an effort, instead of up to a budget: from 4.6 on. */
export const isAdaptiveClaude = (model: string): boolean => (claudeVersion(model) ?? 0) >= 4.06;

/** Gemini with thinking levels instead of budgets: from the third generation on. */
export const isLevelGemini = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

const matches =
  (pattern: RegExp) =>
  (model: string): boolean =>
    pattern.test(model);

export const suffixFamilies = {
  /** All reasoning models of OpenAI; `gpt-35-turbo` is Azure's name of an old one. */
  openai: { has: matches(/^(o\d|gpt-[5-9](?!\d|-chat))/), suffixes: openaiEfforts },
  /** Models with open weights, which many vendors serve under several prefixes. */
  'gpt-oss': { has: matches(/(^|\/)gpt-oss-/), suffixes: openaiEfforts },
  'grok-3-mini': { has: matches(/^grok-3-mini/), suffixes: openaiEfforts },
  'grok-search': { has: matches(/^grok-/), suffixes: ['search'] },
  // Families that Baidu's Qianfan serves.
  'ernie-search': { has: matches(/^(ernie|deepseek|qianfan)-/), suffixes: ['search'] },
  // Other vendors' names end so without meaning it (kimi-k2-thinking).
  claude: { has: matches(/claude/), suffixes: ['thinking'] },
  'claude-effort': {
    has: isAdaptiveClaude,
    suffixes: ['low', 'medium', 'high', 'xhigh', 'max'],
  },
  // Names of an early model end like a suffix.
  gemini: {
    has: (model) => /gemini-/.test(model) && !model.endsWith('gemini-2.0-flash'),
    suffixes: ['thinking', 'thinking-N', 'nothinking'],
  },
  'gemini-level': { has: isLevelGemini, suffixes: ['minimal', 'low', 'medium', 'high'] },
  'deepseek-v4': { has: matches(/^deepseek-v[4-9]/), suffixes: ['none', 'max'] },
} as const satisfies Readonly<Record<string, SuffixFamily>>;

export type SuffixFamilyId = keyof typeof suffixFamilies;

/** A name that was cut. */
export interface CutName {
  /** The model without the suffix. */
  model: string;
  /** Without the dash. */
  suffix: string;
}

const endings = /^(.+)-(high|minimal|low|medium|none|xhigh|max|thinking|thinking-\d{1,6}|nothinking|search)$/;

/** The suffix that a family reads at the end of a name; undefined where there is none. */
export function cutSuffix(model: string, ...families: readonly SuffixFamilyId[]): CutName | undefined {
  const [, base, suffix] = endings.exec(model) ?? [];
  if (base === undefined || suffix === undefined) return undefined;
  const kind = suffix.replace(/\d+$/, 'N');
  const isRead = families.some((id) => {
    const family: SuffixFamily = suffixFamilies[id];
    return family.suffixes.includes(kind) && family.has(base);
  });
  return isRead ? { model: base, suffix } : undefined;
}

const allFamilies = Object.keys(suffixFamilies) as SuffixFamilyId[];

/** The name without its suffix, whatever family reads it; undefined where there is none. */
export const bareName = (model: string): string | undefined => cutSuffix(model, ...allFamilies)?.model;

/** An effort of OpenAI's behind any name: in the protocol of responses every model takes one. */
export function cutEffort(model: string): CutName | undefined {
  const [, base, suffix] = endings.exec(model) ?? [];
  const isEffort = openaiEfforts.some((effort) => effort === suffix);
  return base !== undefined && suffix !== undefined && isEffort ? { model: base, suffix } : undefined;
}

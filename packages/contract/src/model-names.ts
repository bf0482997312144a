/**
 * Suffixes of model names by family. Providers convert a suffix into fields. A name without its own price costs the
 * same as the name without the suffix (docs/compatibility.md#name-suffixes has this table).
 */
export interface SuffixFamily {
  /** True for names without a suffix. */
  has: (model: string) => boolean;
  /** Suffixes without the dash. `thinking-N` has any number of tokens. */
  suffixes: readonly string[];
}

/** Reasoning efforts of OpenAI. */
export const openaiEfforts = ['high', 'minimal', 'low', 'medium', 'none', 'xhigh'] as const;

/**
 * Major and minor version in a Claude name, such as `claude-3-7-sonnet-…` or `claude-opus-4-6`. A Claude without a
 * number counts as new, because new models introduce new names. Undefined for other models: servers offer them over
 * the same protocol, but Claude's rules do not apply to them.
 */
export function claudeVersion(model: string): number | undefined {
  if (!model.includes('claude')) return undefined;
  if (/claude-(2|instant)/.test(model)) return 2;
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  return found ? Number(found[1]) + Number(found[2] ?? 0) / 100 : Number.POSITIVE_INFINITY;
}

/** True for a Claude (4.6 and later) that decides on its own how much to think, by an effort instead of a budget. */
export const isAdaptiveClaude = (model: string): boolean => (claudeVersion(model) ?? 0) >= 4.06;

/** True for Gemini models with thinking levels instead of budgets: the third generation and later. */
export const isLevelGemini = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

const matches =
  (pattern: RegExp) =>
  (model: string): boolean =>
    pattern.test(model);

export const suffixFamilies = {
  /** All reasoning models of OpenAI. `gpt-35-turbo` is Azure's name of an older model. */
  openai: { has: matches(/^(o\d|gpt-[5-9](?!\d|-chat))/), suffixes: openaiEfforts },
  /** Models with open weights. Many vendors serve them under several prefixes. */
  'gpt-oss': { has: matches(/(^|\/)gpt-oss-/), suffixes: openaiEfforts },
  'grok-3-mini': { has: matches(/^grok-3-mini/), suffixes: openaiEfforts },
  'grok-search': { has: matches(/^grok-/), suffixes: ['search'] },
  // Model families of Baidu's Qianfan.
  'ernie-search': { has: matches(/^(ernie|deepseek|qianfan)-/), suffixes: ['search'] },
  // Names of other vendors can end in `-thinking` without a suffix (kimi-k2-thinking).
  claude: { has: matches(/claude/), suffixes: ['thinking'] },
  'claude-effort': {
    has: isAdaptiveClaude,
    suffixes: ['low', 'medium', 'high', 'xhigh', 'max'],
  },
  // The names of an early model (gemini-2.0-flash) end like a suffix.
  gemini: {
    has: (model) => /gemini-/.test(model) && !model.endsWith('gemini-2.0-flash'),
    suffixes: ['thinking', 'thinking-N', 'nothinking'],
  },
  'gemini-level': { has: isLevelGemini, suffixes: ['minimal', 'low', 'medium', 'high'] },
  'deepseek-v4': { has: matches(/^deepseek-v[4-9]/), suffixes: ['none', 'max'] },
} as const satisfies Readonly<Record<string, SuffixFamily>>;

export type SuffixFamilyId = keyof typeof suffixFamilies;

/** A model name, split into base and suffix. */
export interface CutName {
  /** Model name without the suffix. */
  model: string;
  /** Suffix without the dash. */
  suffix: string;
}

const endings = /^(.+)-(high|minimal|low|medium|none|xhigh|max|thinking|thinking-\d{1,6}|nothinking|search)$/;

/** Suffix of a name in one of the families; undefined without one. */
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

/** Name without its suffix, for any family; undefined without a suffix. */
export const bareName = (model: string): string | undefined => cutSuffix(model, ...allFamilies)?.model;

/** Effort suffix of any model name. In the responses protocol every model accepts one. */
export function cutEffort(model: string): CutName | undefined {
  const [, base, suffix] = endings.exec(model) ?? [];
  const isEffort = openaiEfforts.some((effort) => effort === suffix);
  return base !== undefined && suffix !== undefined && isEffort ? { model: base, suffix } : undefined;
}

/**
 * Usage of one call, as disjoint counters: every token is in exactly one counter, and no counter is negative. Vendors
 * report overlapping counters (OpenAI includes cached tokens in prompt_tokens, Anthropic does not). Each protocol's
 * `usage.ts` separates them on arrival, and only the disjoint counters are priced.
 */
export interface Usage {
  /** Plain text input without cached, image and audio tokens. */
  input: number;
  /** Input read from the vendor's prompt cache. */
  cacheRead: number;
  /** Input written to the cache for 5 minutes (or for the vendor's only duration). */
  cacheWrite5m: number;
  /** Input written to the cache for 1 hour. */
  cacheWrite1h: number;
  imageInput: number;
  audioInput: number;
  /** Visible text output. */
  output: number;
  /** Thinking tokens, charged as output but not shown as text. */
  reasoning: number;
  imageOutput: number;
  audioOutput: number;
  /** Calls of the vendor's web search tool. */
  webSearchCalls: number;
  /** Calls of the vendor's file search tool. */
  fileSearchCalls: number;
  /** Sessions of containers that ran code, in those of one gigabyte: a session with 4 GB counts as 4. */
  containers: number;
  /** The vendor's reported service tier (`priority`, `flex`); absent for the standard tier. */
  tier?: string;
}

/** The counters of a usage. */
export type UsageCounter = Exclude<keyof Usage, 'tier'>;

/** A usage from a vendor's report. */
export interface ReportedUsage extends Usage {
  /** Cost of the call in US dollars by the vendor; absent if not reported. */
  reportedCost?: number;
  /** True if the vendor reports an input of 0. The gateway then does not count the input itself. */
  hasNoInput?: true;
}

/** All counters of `Usage`, for loops. */
export const usageCounters = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'imageInput',
  'audioInput',
  'output',
  'reasoning',
  'imageOutput',
  'audioOutput',
  'webSearchCalls',
  'fileSearchCalls',
  'containers',
] as const satisfies readonly UsageCounter[];

/** A usage with the given counters and zeros for all others, without a tier. */
export function usageOf(counters: Partial<Usage> = {}): Usage {
  // Written field by field: every call creates one, and a spread is ten times as slow.
  return {
    input: counters.input ?? 0,
    cacheRead: counters.cacheRead ?? 0,
    cacheWrite5m: counters.cacheWrite5m ?? 0,
    cacheWrite1h: counters.cacheWrite1h ?? 0,
    imageInput: counters.imageInput ?? 0,
    audioInput: counters.audioInput ?? 0,
    output: counters.output ?? 0,
    reasoning: counters.reasoning ?? 0,
    imageOutput: counters.imageOutput ?? 0,
    audioOutput: counters.audioOutput ?? 0,
    webSearchCalls: counters.webSearchCalls ?? 0,
    fileSearchCalls: counters.fileSearchCalls ?? 0,
    containers: counters.containers ?? 0,
  };
}

/** Sum of the input tokens of all classes: `prompt_tokens` of a log row. */
export const inputTokens = (usage: Usage): number =>
  usage.input +
  usage.cacheRead +
  usage.cacheWrite5m +
  usage.cacheWrite1h +
  usage.imageInput +
  usage.audioInput;

/** A usage without its output: the input and the tool uses, at the same tier. */
export const withoutOutput = (usage: Usage): Usage =>
  atTier(usageOf({ ...usage, output: 0, reasoning: 0, imageOutput: 0, audioOutput: 0 }), usage.tier);

/** Vendor tool uses that are charged beside the model's tokens. Generated images count by their tokens. */
export type ToolUses = Partial<
  Pick<Usage, 'webSearchCalls' | 'fileSearchCalls' | 'containers' | 'imageOutput'>
>;

/** Names of the standard tier. */
const standardTiers = new Set(['default', 'standard', 'auto', 'on_demand', 'unspecified', 'scale']);

/** Sets the vendor's reported service tier on a usage, unless it is the standard tier. Returns the same usage. */
export function atTier(usage: Usage, tier: unknown): Usage {
  if (typeof tier === 'string' && tier !== '' && tier.length <= 32 && !standardTiers.has(tier))
    usage.tier = tier;
  return usage;
}

/** Sum of the output tokens of all classes: `completion_tokens` of a log row. */
export const outputTokens = (usage: Usage): number =>
  usage.output + usage.reasoning + usage.imageOutput + usage.audioOutput;

/** Maximum plausible number of tokens per call. It is over ten times the capacity of any model. */
const maxTokensOfCall = 50_000_000;
/** Maximum plausible number of searches per call. A research task of hours makes some hundreds. */
const maxSearchesOfCall = 10_000;

/** False for impossible numbers in a vendor's report. Such a usage is not charged; the tokens are counted again. */
export const isPlausible = (usage: Usage): boolean =>
  inputTokens(usage) + outputTokens(usage) <= maxTokensOfCall &&
  usage.webSearchCalls + usage.fileSearchCalls <= maxSearchesOfCall;

/** Converts a vendor's number to a counter: whole, at least 0, at most 2^40. Other values become 0. */
export function counter(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.floor(value), 2 ** 40);
}

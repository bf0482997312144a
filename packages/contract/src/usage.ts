/**
 * What one call used, as disjoint counters: every token is in exactly one of them, none is ever negative.
 * Vendors report overlapping counters (OpenAI counts cached tokens inside prompt_tokens, Anthropic outside);
 * each protocol's `usage.ts` takes them apart at the door, and only these are ever priced.
 */
export interface Usage {
  /** Plain text input, neither cached nor image nor audio. */
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
  /** Thinking, charged as output but not shown as text. */
  reasoning: number;
  imageOutput: number;
  audioOutput: number;
  /** Calls of the vendor's web search tool. */
  webSearchCalls: number;
  /** Calls of the vendor's file search tool. */
  fileSearchCalls: number;
  /** The service tier that the vendor reports (`priority`, `flex`), where it is not the standard one. */
  tier?: string;
}

/** The counters of a usage. */
export type UsageCounter = Exclude<keyof Usage, 'tier'>;

/** A usage as a vendor reported it. */
export interface ReportedUsage extends Usage {
  /** Cost of the call in US dollars by the vendor; absent if not reported. */
  reportedCost?: number;
  /** Set where the vendor reports an input of 0, which is then not counted. */
  hasNoInput?: true;
}

/** The counters of `Usage`, for loops over all of them. */
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
] as const satisfies readonly UsageCounter[];

/** A usage of all zeros with the given counters set; it has no tier. */
export function usageOf(counters: Partial<Usage> = {}): Usage {
  // Field by field, because every call has one made and a spread costs ten times as much.
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
  };
}

/** All input tokens, whatever their class: the `prompt_tokens` of a log row. */
export const inputTokens = (usage: Usage): number =>
  usage.input +
  usage.cacheRead +
  usage.cacheWrite5m +
  usage.cacheWrite1h +
  usage.imageInput +
  usage.audioInput;

/** A usage without its output: the input and the uses of tools, at the tier it was served at. */
export const withoutOutput = (usage: Usage): Usage =>
  atTier(usageOf({ ...usage, output: 0, reasoning: 0, imageOutput: 0, audioOutput: 0 }), usage.tier);

/** Uses of a vendor's tools that are charged beside the tokens of the model; drawn images by their tokens. */
export type ToolUses = Partial<Pick<Usage, 'webSearchCalls' | 'fileSearchCalls' | 'imageOutput'>>;

/** Names of the tier that every price begins with. */
const standardTiers = new Set(['default', 'standard', 'auto', 'on_demand', 'unspecified', 'scale']);

/** Notes on a usage the service tier that a vendor reports, unless it is the standard one; answers the same usage. */
export function atTier(usage: Usage, tier: unknown): Usage {
  if (typeof tier === 'string' && tier !== '' && tier.length <= 32 && !standardTiers.has(tier))
    usage.tier = tier;
  return usage;
}

/** All output tokens, whatever their class: the `completion_tokens` of a log row. */
export const outputTokens = (usage: Usage): number =>
  usage.output + usage.reasoning + usage.imageOutput + usage.audioOutput;

/** More tokens than this no call can use; no model reads a tenth of it. */
const maxTokensOfCall = 50_000_000;
/** Nor so many searches: a research of hours makes some hundreds. */
const maxSearchesOfCall = 10_000;

/** False where a vendor reports what cannot be: such a usage is not charged, but counted anew. */
export const isPlausible = (usage: Usage): boolean =>
  inputTokens(usage) + outputTokens(usage) <= maxTokensOfCall &&
  usage.webSearchCalls + usage.fileSearchCalls <= maxSearchesOfCall;

/** A vendor's number as a counter: whole, at least 0, at most 2^40; other values count as 0. */
export function counter(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.floor(value), 2 ** 40);
}

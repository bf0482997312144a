/** Context sizes of a web search. The default is `usualSearchSize` (docs/compatibility.md#charge). */
export const searchSizes = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof searchSizes)[number];

/**
 * Kinds of search that affect the price beside the model: the context size, and the use of OpenAI's older tool
 * (`preview-`).
 */
export const searchKinds = [
  ...searchSizes,
  ...searchSizes.map((size) => `preview-${size}` as const),
] as const satisfies readonly SearchKind[];
export type SearchKind = SearchSize | `preview-${SearchSize}`;

/** Kind of a search with this tool (`web_search`, `web_search_preview`, dated versions) and context size. */
export const searchKindOf = (tool: string, size: SearchSize = usualSearchSize): SearchKind =>
  tool.startsWith('web_search_preview') ? `preview-${size}` : size;

/** Prices for unknown models (docs/compatibility.md#charge). */
const plainSearch: Readonly<Record<SearchSize, number>> = { low: 25, medium: 27.5, high: 30 };

/**
 * Google's search prices, the same for all context sizes (ai.google.dev/gemini-api/docs/pricing, November 2026): per
 * query for models from Gemini 3 on, per answer with a search for earlier models.
 */
const googleSearch = 14;
const earlyGoogleSearch = 35;
/** Price of OpenAI's tool with any model, and of Anthropic's tool (their price pages, November 2026). */
const laterSearch = 10;
/**
 * Price of OpenAI's older tool and of its search models, without reasoning (developers.openai.com/api/docs/pricing,
 * November 2026).
 */
const earlySearch = 25;
/** xAI's price (docs.x.ai/developers/pricing, November 2026). */
const grokSearch = 5;
/** DeepSeek's price (api-docs.deepseek.com/quick_start/pricing, November 2026). */
const deepseekSearch = 0.75;
/**
 * Perplexity's price, the same for all context sizes (docs.perplexity.ai/docs/getting-started/pricing, October 2026).
 */
const sonarSearch = 2.5;

/**
 * US dollars per 1,000 web searches (docs/compatibility.md#charge): one price per vendor and generation. Only unknown
 * models have prices by size.
 */
export function webSearchPriceFor(model: string, kind: SearchKind): number {
  if (/^gemini-[12]\b/.test(model)) return earlyGoogleSearch;
  if (model.startsWith('gemini')) return googleSearch;
  if (/^(claude-|gpt-[56]|o[134]\b)/.test(model)) return laterSearch;
  const isEarly = kind.startsWith('preview-') || model.includes('search-preview');
  if (model.startsWith('gpt-4')) return isEarly ? earlySearch : laterSearch;
  if (model.startsWith('grok-')) return grokSearch;
  if (model.startsWith('deepseek-')) return deepseekSearch;
  if (/^(perplexity\/)?sonar\b/.test(model)) return sonarSearch;
  return plainSearch[kind.replace('preview-', '') as SearchSize];
}

/** Default context size of a model's search. */
export const usualSearchSize: SearchSize = 'medium';

/** US dollars per 1,000 file searches (docs/compatibility.md#charge). */
export const fileSearchPrice = 2.5;

/**
 * US dollars of a container's session of 20 minutes for each gigabyte of its memory (developers.openai.com/api/docs/pricing,
 * November 2026).
 */
export const containerPrice = 0.03;
/** Vendors that do not charge by the session (docs/protocols/hosted-tools.md#containers). */
const withoutSessions = /^(claude|gemini|grok|deepseek|sonar|gpt-oss|(amazon\.)?nova)/;

/** US dollars of a session with one gigabyte; 0 for models of other vendors. */
export const containerPriceFor = (model: string): number =>
  withoutSessions.test(model) ? 0 : containerPrice;

const containerMemory: readonly string[] = ['1g', '4g', '16g', '64g'];

/** Gigabytes of a container by its `memory_limit`; '' is the usual one, and an unknown one counts as the largest. */
export const containerGigabytes = (memory: string): number =>
  memory === '' ? 1 : containerMemory.includes(memory) ? Number.parseInt(memory, 10) : 64;

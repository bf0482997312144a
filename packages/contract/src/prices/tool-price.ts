/** How much context a web search brings along; `usualSearchSize` where the caller does not say (docs/compatibility.md#charge). */
export const searchSizes = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof searchSizes)[number];

/** What decides on a search's price beside its model: how much it brings along, and whether OpenAI's older tool looks. */
export const searchKinds = [
  ...searchSizes,
  ...searchSizes.map((size) => `preview-${size}` as const),
] as const satisfies readonly SearchKind[];
export type SearchKind = SearchSize | `preview-${SearchSize}`;

/** A search by a tool of this name (`web_search`, `web_search_preview`, dated ones) of this size. */
export const searchKindOf = (tool: string, size: SearchSize = usualSearchSize): SearchKind =>
  tool.startsWith('web_search_preview') ? `preview-${size}` : size;

/** Of models that nothing is known of (docs/compatibility.md#charge). */
const plainSearch: Readonly<Record<SearchSize, number>> = { low: 25, medium: 27.5, high: 30 };

/**
 * Google's own searches cost the same whatever they bring along (ai.google.dev/gemini-api/docs/pricing, November 2026): a
 * query of models from Gemini 3 on, and an answer that searched of those before.
 */
const googleSearch = 14;
const earlyGoogleSearch = 35;
/** OpenAI's price of its tool with any model, and Anthropic's (their pages of prices, November 2026). */
const laterSearch = 10;
/**
 * OpenAI's price of its older tool, and of models that search by themselves, where they do not reason
 * (developers.openai.com/api/docs/pricing, November 2026).
 */
const earlySearch = 25;
/** xAI's price (docs.x.ai/developers/pricing, November 2026). */
const grokSearch = 5;
/** DeepSeek's price (api-docs.deepseek.com/quick_start/pricing, November 2026). */
const deepseekSearch = 0.75;
/** Perplexity's price, whatever a search brings along (docs.perplexity.ai/docs/getting-started/pricing, October 2026). */
const sonarSearch = 2.5;

/**
 * US dollars per 1,000 web searches (docs/compatibility.md#charge): one price per vendor and generation, by size for
 * unknown models only.
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

/** The context that a model's search brings along where the caller says nothing. */
export const usualSearchSize: SearchSize = 'medium';

/** US dollars per 1,000 file searches (docs/compatibility.md#charge). */
export const fileSearchPrice = 2.5;

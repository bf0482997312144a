/** How much context a web search brings along; `usualSearchSize` when the caller does not say (docs/compatibility.md#charge). */
export const searchSizes = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof searchSizes)[number];

/** Of models that nothing is known of (docs/compatibility.md#charge). */
const plainSearch: Readonly<Record<SearchSize, number>> = { low: 25, medium: 27.5, high: 30 };

/**
 * Google's own searches cost the same whatever they bring along (ai.google.dev/gemini-api/docs/pricing, November 2026): a
 * query of models from Gemini 3 on, and an answer that searched of those before.
 */
const googleSearch = 14;
const earlyGoogleSearch = 35;
/** OpenAI's price with models that reason, and Anthropic's (their pages of prices, November 2026). */
const laterSearch = 10;
/** OpenAI's price with models that do not reason (developers.openai.com/api/docs/pricing, November 2026). */
const earlySearch = 25;
/** xAI's price (docs.x.ai/developers/pricing, November 2026). */
const grokSearch = 5;
/** Perplexity's price of the searches of its research, whatever they bring along. */
const researchSearch = 5;
/** Perplexity's fee for each answer of its other models. */
const sonarSearch: Readonly<Record<SearchSize, number>> = { low: 5, medium: 8, high: 12 };
const sonarProSearch: Readonly<Record<SearchSize, number>> = { low: 6, medium: 10, high: 14 };

/**
 * US dollars per 1,000 web searches (docs/compatibility.md#charge): one price for each vendor's generation, by size
 * for Perplexity and for unknown models alone. Gemini searches with Google, Perplexity by itself.
 */
export function webSearchPriceFor(model: string, size: SearchSize): number {
  if (/^gemini-[12]\b/.test(model)) return earlyGoogleSearch;
  if (model.startsWith('gemini')) return googleSearch;
  if (/^(claude-|gpt-[56]|o[134]\b)/.test(model)) return laterSearch;
  if (model.startsWith('gpt-4')) return earlySearch;
  if (model.startsWith('grok-')) return grokSearch;
  if (model.startsWith('sonar-deep-research')) return researchSearch;
  if (model.startsWith('sonar-')) return sonarProSearch[size];
  if (model.startsWith('sonar')) return sonarSearch[size];
  return plainSearch[size];
}

/** The context that a model's search brings along where the caller says nothing. */
export const usualSearchSize = (model: string): SearchSize => (model.startsWith('sonar') ? 'low' : 'medium');

/** US dollars per 1,000 file searches (docs/compatibility.md#charge). */
export const fileSearchPrice = 2.5;

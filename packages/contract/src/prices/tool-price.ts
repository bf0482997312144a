/** How much context a web search brings along; `usualSearchSize` when the caller does not say (docs/compatibility.md#charge). */
export const searchSizes = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof searchSizes)[number];

const dearSearch: Readonly<Record<SearchSize, number>> = { low: 30, medium: 35, high: 50 };
const plainSearch: Readonly<Record<SearchSize, number>> = { low: 25, medium: 27.5, high: 30 };

/**
 * Google's own searches cost the same whatever they bring along (ai.google.dev/gemini-api/docs/pricing, November 2026): a
 * query of models from Gemini 3 on, and an answer that searched of those before.
 */
const googleSearch = 14;
const earlyGoogleSearch = 35;
/** OpenAI's price with models from GPT-5 on, and Anthropic's (their pages of prices, November 2026). */
const laterSearch = 10;
/** Perplexity's price of the searches of its research, whatever they bring along. */
const researchSearch = 5;
/** Perplexity's fee for each answer of its other models. */
const sonarSearch: Readonly<Record<SearchSize, number>> = { low: 5, medium: 8, high: 12 };
const sonarProSearch: Readonly<Record<SearchSize, number>> = { low: 6, medium: 10, high: 14 };

/**
 * US dollars per 1,000 web searches (docs/compatibility.md#charge): gpt-4o and gpt-4.1 cost more, their minis do not.
 * Gemini searches
 * with Google, Perplexity by itself.
 */
export function webSearchPriceFor(model: string, size: SearchSize): number {
  if (/^gemini-[12]\b/.test(model)) return earlyGoogleSearch;
  if (model.startsWith('gemini')) return googleSearch;
  if (/^(claude-|gpt-[56])/.test(model)) return laterSearch;
  if (model.startsWith('sonar-deep-research')) return researchSearch;
  if (model.startsWith('sonar-')) return sonarProSearch[size];
  if (model.startsWith('sonar')) return sonarSearch[size];
  const dear = /^gpt-4(\.1|o)/.test(model) && !model.includes('mini');
  return (dear ? dearSearch : plainSearch)[size];
}

/** The context that a model's search brings along where the caller says nothing. */
export const usualSearchSize = (model: string): SearchSize => (model.startsWith('sonar') ? 'low' : 'medium');

/** US dollars per 1,000 file searches (docs/compatibility.md#charge). */
export const fileSearchPrice = 2.5;

/** How much context a web search brings along; `medium` when the caller does not say (docs/compatibility.md#charge). */
export const searchSizes = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof searchSizes)[number];

const dearSearch: Readonly<Record<SearchSize, number>> = { low: 30, medium: 35, high: 50 };
const plainSearch: Readonly<Record<SearchSize, number>> = { low: 25, medium: 27.5, high: 30 };

/**
 * Google's own searches cost the same whatever they bring along (docs/compatibility.md#newer-behaviour,
 * `google_search`).
 */
const googleSearch = 14;
/** Perplexity's price of the searches of its research, whatever they bring along. */
const sonarSearch = 5;

/**
 * US dollars per 1,000 web searches (docs/compatibility.md#charge): gpt-4o and gpt-4.1 cost more, their minis do not.
 * Gemini searches
 * with Google, Perplexity by itself.
 */
export function webSearchPriceFor(model: string, size: SearchSize): number {
  if (model.startsWith('gemini')) return googleSearch;
  if (model.startsWith('sonar')) return sonarSearch;
  const dear = /^gpt-4(\.1|o)/.test(model) && !model.includes('mini');
  return (dear ? dearSearch : plainSearch)[size];
}

/** US dollars per 1,000 file searches (docs/compatibility.md#charge). */
export const fileSearchPrice = 2.5;

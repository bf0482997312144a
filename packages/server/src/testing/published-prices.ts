/** A vendor's list price: US dollars per million tokens, and per 1,000 searches. */
export interface PublishedPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  search?: number;
}

/** US dollars per call, for models with a price per call. */
export interface PublishedCallPrice {
  call: number;
}

const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const haiku = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };
const flash = { input: 0.3, output: 2.5, cacheRead: 0.03, cacheWrite: 0.3 };

/**
 * Vendors' list prices of models with a cost in their recorded answers; OpenRouter charges the same prices. The check uses
 * all recorded answers of a model: one price must explain the cost of each.
 */
export const publishedPrices: Readonly<Record<string, PublishedPrice | PublishedCallPrice>> = {
  'openrouter anthropic/claude-4.5-sonnet-20250929': sonnet,
  'openrouter anthropic/claude-4.6-sonnet-20260217': sonnet,
  'openrouter anthropic/claude-4.5-haiku-20251001': haiku,
  'openrouter anthropic/claude-haiku-4.5': haiku,
  'openrouter openai/gpt-5-mini-2025-08-07': { input: 0.25, output: 2 },
  'openrouter openai/gpt-4.1-mini': { input: 0.4, output: 1.6, search: 10 },
  'openrouter google/gemini-2.5-flash': flash,
  'openrouter google/gemini-3.6-flash': { input: 1.5, output: 7.5 },
  // ¥2 and ¥8 as $0.286 and $1.143, minus the seller's 10% discount; its search engine costs $7.
  'openrouter deepseek/deepseek-chat': { input: 0.286 * 0.9, output: 1.143 * 0.9, search: 7 },
  'openrouter rerank-2.5-lite': { input: 0.02, output: 0 },
  'openrouter /api/v1/audio/transcriptions': { input: 1.25, output: 5 },
  'openrouter /api/v1/images': { input: 0.25, output: 1.5 },
  'xai grok-4.3': { input: 1.25, output: 2.5, cacheRead: 0.2, search: 5 },
  'xai /v1/images/generations': { call: 0.02 },
  'xai /v1/images/edits': { call: 0.07 },
  'perplexity sonar': { input: 1, output: 1, search: 5 },
  'perplexity sonar-pro': { input: 3, output: 15, search: 6 },
  'perplexity pplx-embed-v1-0.6b': { input: 0.004, output: 0 },
  // Another gateway, which also calculates with list prices.
  'localhost-8787 claude-sonnet-4-5-20250929': sonnet,
  'localhost-8787 gemini-2.5-flash': flash,
  'localhost-8787 gpt-5-2025-08-07': { input: 1.25, output: 10 },
  'localhost-8787 /bedrock/model/amazon.nova-micro-v1:0/converse': { input: 0.035, output: 0.14 },
};

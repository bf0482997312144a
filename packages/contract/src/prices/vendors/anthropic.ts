/**
 * Anthropic (platform.claude.com/docs/en/about-claude/pricing, as LiteLLM 1.110.2 lists it, November 2026; Fable
 * 5.2 of 9 November 2026 as the catalogue of pi-ai 1.5.2 has it). Writing to
 * the cache costs 1.25 times the input for five minutes and twice as much for an hour, as for every model here. The
 * models of the first generation as genai-prices 0.2.3 (Claude 2) and Amazon (Claude Instant) list them.
 */
export const anthropicPrices = `
claude-fable-5-2 8 40 0.2
claude-fable-5-1 10 50 0.25
claude-fable-5 10 50 1
claude-opus-5-5 4 20 0.2
claude-opus-5 claude-opus-4-7-20260416 claude-opus-4-6-20260205 claude-opus-4-5 5 25 0.5
claude-sonnet-5-5 2 10 0.1
claude-sonnet-5 2 10 0.2
claude-sonnet-4-6 claude-sonnet-4-5 3 15 0.3
claude-haiku-5-5 0.1 0.5 0.01
claude-haiku-4-5 1 5 0.1
claude-2 8 24
claude-instant-1.2 0.8 2.4
`;

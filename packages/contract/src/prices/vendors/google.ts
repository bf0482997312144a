/**
 * Google's standard tier (ai.google.dev/gemini-api/docs/pricing, as LiteLLM 1.110.2 lists it, November 2026; Gemini 4 Carbon
 * of 10 November as LiteLLM's discussion 50970 and Gemini 4 Neon of 18 November as llm-preflight 2.25.9 and TokenMeter 0.17.0
 * have it; Gemini 1.5 as genai-prices 0.2.3 has it). What longer prompts cost stands in price-terms.ts, prices of days to come
 * in announced.ts.
 */
export const googlePrices = `
gemini-4-neon 3 15 0.15
gemini-4-argon gemini-4-carbon 2 10 0.1
gemini-4-hydrogen 1.5 7.5 0.075
gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-flash-latest 0.75 3.75 0.075
gemini-3.5-flash 1.5 9 0.15 - - 1.5
gemini-3.5-flash-lite gemini-flash-lite-latest 0.3 2.5 0.03
gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-pro-latest 2 12 0.2
gemini-3.1-flash-lite 0.25 1.5 0.025 - - 0.5
gemini-3-flash-preview 0.5 3 0.05 - - 1
gemini-2.5-flash-lite 0.1 0.4 0.01 - - 0.3
gemini-nano-banana-2.1 1.5 7.5 - - 30
gemini-3-pro-image 2 12 0.2 - 120
gemini-3.1-flash-image 0.5 3 0.05 - 60
gemini-3.1-flash-lite-image 0.25 1.5 0.025 - 30
gemini-2.5-flash-image 0.3 2.5 0.03 - 30 1
gemini-embedding-2 0.2 - - 0.45 - 6.5
gemini-1.5-flash 0.075 0.3 0.01875
gemini-1.5-pro 1.25 5 0.3125
gemini-2.0-flash-exp gemini-2.0-flash-thinking-exp 0.1 0.4 0.025 - - 0.7
`;

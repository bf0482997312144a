/**
 * OpenAI's standard tier (developers.openai.com/api/docs/pricing, as LiteLLM 1.110.2 lists it, November 2026; GPT-6.2 of
 * 17 November 2026 as LiteLLM's discussion 52347 and TokenMeter 0.17.0 have it). What long prompts and the tiers flex,
 * batch and priority cost stands in price-terms.ts. GPT-5.6 Sol is at a price that OpenAI promised until 21 November 2026 at
 * least; of another one nothing was found on 26 November.
 */
export const openaiPrices = `
gpt-6-astra 10 50 1
gpt-6-sol 2 10 0.2
gpt-6.2-astra 8 40 0.4
gpt-6.2-sol gpt-6.1-sol 2 10 0.1
gpt-6.1-terra 1 5 0.05
gpt-6-luna 0.1 0.5 0.01
gpt-5.6 gpt-5.6-sol 4 20 0.4
gpt-5.6-terra 2 12 0.2
gpt-5.6-luna 0.2 1.2 0.02
gpt-5.5 gpt-5.5-2026-04-23 chat-latest 5 30 0.5
gpt-5.5-pro gpt-5.5-pro-2026-04-23 gpt-5.4-pro gpt-5.4-pro-2026-03-05 30 180
gpt-5.4 gpt-5.4-2026-03-05 2.5 15 0.25
gpt-5.4-mini gpt-5.4-mini-2026-03-17 0.75 4.5 0.075
gpt-5.4-nano gpt-5.4-nano-2026-03-17 0.2 1.25 0.02
gpt-5.3-codex gpt-5.2 gpt-5.2-2025-12-11 1.75 14 0.175
gpt-5.2-pro gpt-5.2-pro-2025-12-11 21 168
gpt-5.1 gpt-5.1-2025-11-13 1.25 10 0.125
gpt-5-pro gpt-5-pro-2025-10-06 15 120
gpt-image-2 gpt-image-2.5-flare gpt-image-2.5-sunburst gpt-image-2.6-flare gpt-image-2.6-sunburst 5 30 1.25 8
gpt-image-1.5 gpt-image-1.5-2025-12-16 5 10 1.25 8 32
gpt-image-1-mini 2 8 0.2 2.5
gpt-realtime-2 gpt-realtime-2.1 4 24 0.4 5 - 32 64
gpt-realtime gpt-realtime-2025-08-28 gpt-realtime-1.5 4 16 0.4 5 - 32 64
gpt-realtime-mini gpt-realtime-mini-2025-12-15 gpt-realtime-2.1-mini 0.6 2.4 0.06 0.8 - 10 20
gpt-4o-transcribe 2.5 10
gpt-4o-mini-transcribe 1.25 5
gpt-audio gpt-audio-2025-08-28 gpt-audio-1.5 2.5 10 - - - 32 64
gpt-audio-mini gpt-audio-mini-2025-12-15 0.6 2.4 - - - 10 20
`;

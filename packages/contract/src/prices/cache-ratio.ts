const each = (ratio: number, models: string): Record<string, number> =>
  Object.fromEntries(models.split(/\s+/).map((model) => [model, ratio]));

const claude = `claude-3-haiku-20240307 claude-3-sonnet-20240229 claude-3-opus-20240229
  claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
  claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking
  claude-sonnet-4-20250514 claude-sonnet-4-20250514-thinking
  claude-opus-4-20250514 claude-opus-4-20250514-thinking claude-opus-4-1 claude-opus-4-1-20250805
  claude-haiku-4-5-20251001 claude-sonnet-4-5-20250929 claude-opus-4-5-20251101
  claude-opus-4-6 claude-opus-4-7 claude-opus-4-8`;

/**
 * Default of the option CacheRatio (docs/compatibility.md#default-prices): an input token read from the cache; 1
 * elsewhere.
 */
export const defaultCacheRatio: Readonly<Record<string, number>> = {
  ...each(
    0.5,
    `gpt-4 gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini gpt-4o-mini-2024-07-18
     gpt-4o-realtime-preview gpt-4o-mini-realtime-preview
     gpt-4o-mini-realtime-preview-2024-12-17 gpt-4.5-preview gpt-4.5-preview-2025-02-27
     o1 o1-2024-12-17 o1-preview o1-preview-2024-09-12 o1-mini o1-mini-2024-09-12
     o3-mini o3-mini-2025-01-31`,
  ),
  ...each(
    0.25,
    `o3 o3-2025-04-16 o4-mini o4-mini-2025-04-16 deepseek-coder gemini-2.0-flash gpt-image-1 gpt-4.1 gpt-4.1-2025-04-14 gpt-4.1-mini
     gpt-4.1-mini-2025-04-14 gpt-4.1-nano gpt-4.1-nano-2025-04-14`,
  ),
  ...each(
    0.1,
    `${claude} deepseek-chat deepseek-reasoner gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gpt-5-mini gpt-5-mini-2025-08-07
     gpt-5-nano gpt-5-nano-2025-08-07 gemini-2.5-pro gemini-2.5-flash`,
  ),
};

/** Default of the option CreateCacheRatio: an input token written to the cache. */
export const defaultCreateCacheRatio: Readonly<Record<string, number>> = {
  ...each(1.25, claude),
  // Moonshot writes at the price of input, Alibaba at 0.2 of 0.15 (their lists as LiteLLM 1.109.1 has them, November 2026).
  ...each(1, 'kimi-k3 kimi-k3.1-pro kimi-k3.1-pro-highspeed'),
  ...each(1.333333333, 'qwen3.8-flash'),
};

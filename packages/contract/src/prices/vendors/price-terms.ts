import type { ContextTier, PriceTerms, ServiceTier } from '../../price-terms.ts';

/**
 * Terms beyond the ratios, each line some names and behind them `above:input:output` for prompts longer than `above`
 * tokens, `tier=factor` (`/` and the factor of cache reads where it is another) for service tiers, and `1h=` for the price of
 * a cache write of an hour in input tokens. All as LiteLLM 1.110.2 lists them, November 2026:
 *
 * - OpenAI (developers.openai.com/api/docs/pricing, openai.com/api-priority-processing). `fast` is reported as `priority`. The
 *   page has no flex of GPT-6.2 (TokenMeter 0.17.0); its ultrafast tier was not found.
 * - Google (ai.google.dev/gemini-api/docs/pricing); Gemini 1.5 as genai-prices 0.2.3 has it.
 * - Anthropic (platform.claude.com/docs/en/about-claude/pricing): long prompts of Claude Sonnet 4 as Amazon still lists
 *   them; of later models, Sonnet 4.5 among them, only Haiku 5.5's cost more.
 * - xAI (docs.x.ai/docs/models), MiniMax (platform.minimax.io), Moonshot (platform.kimi.ai/docs/pricing).
 * - Alibaba (alibabacloud.com/help/en/model-studio/models), by the price of an answer without thinking.
 * - Baidu, Tencent, Volcengine and SiliconFlow as yuan.ts says.
 */
const table = `
gpt-6-astra gpt-6.1-sol 272000:2:1.5 flex=0.5 batch=0.5 priority=2 ultrafast=6
gpt-6.2-astra gpt-6.2-sol 272000:2:1.5 batch=0.5 priority=2
gpt-6-sol gpt-6-luna gpt-6.1-terra gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.4 272000:2:1.5 flex=0.5 batch=0.5 priority=2
gpt-5.5 272000:2:1.5 flex=0.5 batch=0.5 priority=2.5
gpt-5.5-pro gpt-5.4-pro 272000:2:1.5 flex=0.5 batch=0.5
gpt-5.4-mini gpt-5.2 gpt-5.1 gpt-5 flex=0.5 batch=0.5 priority=2
gpt-5.1-codex gpt-5-codex gpt-5.3-codex priority=2
gpt-5.4-nano gpt-5-nano flex=0.5 batch=0.5
gpt-5-mini flex=0.5 batch=0.5 priority=1.8
gpt-5.2-pro gpt-5-pro o1 o1-pro o3-mini o3-pro gpt-4-turbo gpt-4o-search-preview gpt-4o-mini-search-preview batch=0.5
gpt-4.1 gpt-4.1-mini batch=0.5 priority=1.75
gpt-4.1-nano batch=0.5 priority=2
gpt-4o batch=0.5 priority=1.7
gpt-4o-mini batch=0.5 priority=1.666666667
o3 flex=0.5 batch=0.5 priority=1.75
o4-mini flex=0.5 batch=0.5 priority=1.818181818
gpt-image-1 gpt-image-1-mini gpt-image-1.5 gpt-image-2 gpt-image-2.5-flare gpt-image-2.5-sunburst gpt-image-2.6-flare gpt-image-2.6-sunburst batch=0.5
text-embedding-3-small text-embedding-3-large text-embedding-ada-002 batch=0.5
gemini-2.5-pro gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3-pro-preview gemini-pro-latest 200000:2:1.5 flex=0.5/1 batch=0.5/1 priority=1.8
gemini-2.5-computer-use-preview-10-2025 200000:2:1.5
gemini-2.5-flash gemini-2.5-flash-lite gemini-3-flash-preview flex=0.5/1 batch=0.5/1 priority=1.8
gemini-3.5-flash-lite gemini-flash-lite-latest flex=0.5/0.666666667 batch=0.5 priority=1.8/1.666666667
gemini-4-neon gemini-4-carbon gemini-4-argon gemini-4-hydrogen gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-flash-latest gemini-3.5-flash flex=0.5 batch=0.5 priority=1.8
gemini-3.1-flash-lite gemini-3-pro-image gemini-2.5-flash-image flex=0.5 batch=0.5 priority=1.8
gemini-nano-banana-2.1 gemini-3.1-flash-image gemini-3.1-flash-lite-image gemini-embedding-001 gemini-embedding-2 batch=0.5
gemini-1.5-pro gemini-1.5-flash gemini-1.5-pro-latest gemini-1.5-flash-latest 128000:2:2
claude-sonnet-4 200000:2:1.5 batch=0.5
claude-haiku-5-5 100000:5:5 batch=0.5
claude-fable-5-2 claude-fable-5-1 claude-fable-5 claude-opus-5-5 claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-opus-4-5 batch=0.5
claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6 claude-sonnet-4-5 claude-haiku-4-5 batch=0.5
grok-4.7 grok-4.3 grok-4.20 grok-4.20-reasoning grok-4.20-non-reasoning grok-4.20-multi-agent 200000:2:2 batch=0.8
grok-4.6 grok-4.5 grok-build-0.1 grok-code-fast-1 200000:2:2
MiniMax-M3 512000:2:2
kimi-k3.1-pro kimi-k3.1-pro-highspeed kimi-k3 1h=2
qwen3.7-plus 256000:3:3
qwen3.5-plus 256000:1.25:1.25
qwen-plus qwen-plus-latest 256000:3:3
qwen-flash 256000:5:5
qwen3-coder-flash 32000:1.666666667:1.666666667 128000:2.666666667:2.666666667 256000:5.333333333:6.4
qwen3-coder-plus 32000:1.8:1.8 128000:3:3 256000:6:12
qwen3-max qwen3-max-preview 32000:2:2 128000:2.5:2.5
qwen3-vl-plus 32000:1.5:1.5 128000:3:3
ernie-5.1 32000:1.5:1.222222222
ernie-5.0 ernie-5.0-thinking-latest 32000:1.666666667:1.666666667
hy3-preview 16000:1.333333333:1.6 32000:1.666666667:2
doubao-seed-2-0-pro-260215 doubao-seed-2-0-lite-260215 doubao-seed-2-0-code-preview-260215 32000:1.5:1.5 128000:3:3
doubao-seed-2-0-mini-260215 32000:2:2 128000:4:4
doubao-seed-1-8-251228 32000:1.5:2 128000:3:3
deepseek-v3-2-251201 32000:2:2
glm-4-7-251222 32000:1.333333333:1.142857143
Pro/zai-org/GLM-5.1 32000:1.333333333:1.166666667
Qwen/Qwen3.5-397B-A17B Qwen/Qwen3.5-122B-A10B 128000:2.5:2.5
Qwen/Qwen3.5-35B-A3B Qwen/Qwen3.6-35B-A3B 128000:4:4
Qwen/Qwen3.5-27B Qwen/Qwen3.6-27B Qwen/Qwen3.5-9B 128000:3:3
`;

const isName = (word: string): boolean => !/[:=]/.test(word);

function termsOf(words: readonly string[]): PriceTerms {
  const context: ContextTier[] = [];
  const tiers: Record<string, ServiceTier> = {};
  let cacheWrite1h: number | undefined;
  for (const word of words) {
    if (word.startsWith('1h=')) cacheWrite1h = Number(word.slice(3));
    else if (word.includes('=')) {
      const [name = '', factors = ''] = word.split('=');
      const [factor, cacheRead] = factors.split('/').map(Number);
      tiers[name] = { factor: factor!, ...(cacheRead !== undefined && { cacheRead }) };
    } else {
      const [above, input, output] = word.split(':').map(Number);
      context.push({ above: above!, input: input!, output: output! });
    }
  }
  return {
    ...(context.length > 0 && { context }),
    ...(Object.keys(tiers).length > 0 && { tiers }),
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
  };
}

/** What vendors publish beyond ratios, by model. */
export const vendorTerms: Readonly<Record<string, PriceTerms>> = Object.fromEntries(
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const words = line.split(' ');
      const terms = termsOf(words.filter((word) => !isName(word)));
      return words.filter(isName).map((name) => [name, terms]);
    }),
);

/**
 * xAI (api.x.ai/v1/language-models and docs.x.ai/docs/models), Mistral (docs.mistral.ai/models, mistral.ai/pricing),
 * Cohere (cohere.com/pricing), Perplexity (docs.perplexity.ai/docs/agent-api/models, searches in tool-price.ts) and Jina
 * (api.jina.ai/v1/models), as LiteLLM 1.110.2 and genai-prices 0.2.3 list them, November 2026. What longer
 * prompts of Grok cost stands in price-terms.ts. Perplexity's names of before that are settings today (sonar-pro,
 * sonar-reasoning-pro, sonar-deep-research) have none: the vendor bills the model that such settings hold at the time, and a
 * price that was right yesterday sells below cost tomorrow. Models that their vendors have ended and no list has any more have none
 * either: Grok 3 and 4, Kimi K2 0905, Groq's Llama 3.3.
 */
export const otherPrices = `
grok-4.7 grok-4.6 2 6 0.5
grok-4.5 2 6 0.3
grok-4.3 grok-4.20 grok-4.20-reasoning grok-4.20-non-reasoning grok-4.20-multi-agent 1.25 2.5 0.2
grok-build-0.1 grok-code-fast-1 1 2 0.2
grok-3-mini-beta-high grok-3-mini-beta-low grok-3-mini-beta-medium 0.3 0.5 0.075
grok-3-mini-fast-beta-high grok-3-mini-fast-beta-low grok-3-mini-fast-beta-medium 0.6 4 0.15
mistral-large-4 0.7 2.1 0.07
mistral-large-latest 0.5 1.5 0.05
mistral-medium-latest magistral-medium-latest 1.5 7.5 0.15
mistral-small-latest 0.15 0.6 0.015
codestral-latest 0.3 0.9 0.03
devstral-latest 0.4 2 0.04
ministral-14b-latest 0.2 0.2 0.02
ministral-8b-latest 0.15 0.15 0.015
ministral-3b-latest 0.1 0.1 0.01
mistral-embed 0.1
open-mistral-7b 0.25 0.25
open-mixtral-8x7b 0.7 0.7
command-a-03-2025 2.5 10
command-r7b-12-2024 0.0375 0.15
c4ai-aya-expanse-32b 0.5 1.5
command-nightly 1 2
embed-v4.0 0.12 - - 0.47
embed-v5.0-pro 0.12
embed-v5.0-fast 0.08
rerank-v5.0-pro 0.05
rerank-v5.0-fast 0.02
sonar perplexity/sonar 0.25 2.5 0.0625
jina-reranker-v2-base-multilingual jina-reranker-m0 jina-reranker-v3.5 0.05
`;

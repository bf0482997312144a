/**
 * Amazon's own models and what it hosts (pricing of Bedrock in us-east-1 and its model cards), Cloudflare's Workers AI
 * (developers.cloudflare.com/workers-ai/platform/pricing), as LiteLLM 1.109.1 and genai-prices 0.2.3 list them,
 * November 2026.
 */
export const cloudPrices = `
nova-micro 0.035 0.14 0.00875
nova-lite 0.06 0.24 0.015
nova-pro 0.8 3.2 0.2
nova-premier 2.5 12.5 0.625
nova-2-lite 0.33 2.75 0.0825
us.meta.llama3-3-70b-instruct-v1:0 0.72 0.72
us.meta.llama4-maverick-17b-instruct-v1:0 0.24 0.97
us.deepseek.r1-v1:0 1.35 5.4
us.mistral.pixtral-large-2502-v1:0 mistral.mistral-large-2407-v1:0 2 6
openai.gpt-oss-120b-1:0 qwen.qwen3-32b-v1:0 0.15 0.6
openai.gpt-oss-20b-1:0 0.07 0.3
@cf/meta/llama-3.1-8b-instruct @cf/meta/llama-3-8b-instruct 0.282 0.827
@cf/meta/llama-2-7b-chat-fp16 0.556 6.667
@cf/mistral/mistral-7b-instruct-v0.1 0.11 0.19
`;

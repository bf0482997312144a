/**
 * Amazon's own models and what it hosts (pricing of Bedrock in us-east-1 and its model cards), Cloudflare's Workers AI
 * (developers.cloudflare.com/workers-ai/platform/pricing), as LiteLLM 1.110.2 and genai-prices 0.2.3 list them,
 * November 2026; what SiliconFlow (siliconflow.com) lists in dollars as models.dev has it.
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
@cf/openai/gpt-oss-120b 0.35 0.75
@cf/openai/gpt-oss-20b 0.2 0.3
@cf/zai-org/glm-5.3 @cf/zai-org/glm-5.2 zai-org/GLM-5.2 1.4 4.4 0.26
@cf/zai-org/glm-4.7-flash 0.0605 0.4
@cf/moonshotai/kimi-k2.7-code 0.95 4 0.19
@cf/moonshotai/kimi-k2.6 0.95 4 0.16
@cf/deepseek-ai/deepseek-v4-flash-0731 0.44 1.32 0.014
@cf/deepseek-ai/deepseek-r1-distill-qwen-32b 0.497 4.881
@cf/google/gemma-4-26b-a4b-it 0.1 0.3
@cf/aisingapore/gemma-sea-lion-v4-27b-it @cf/mistralai/mistral-small-3.1-24b-instruct 0.351 0.555
@cf/meta/llama-4-scout-17b-16e-instruct 0.27 0.85
@cf/meta/llama-3.3-70b-instruct-fp8-fast 0.293 2.253
@cf/meta/llama-3.2-11b-vision-instruct 0.0485 0.676
@cf/meta/llama-3.2-3b-instruct @cf/qwen/qwen3-30b-a3b-fp8 0.0509 0.335
@cf/meta/llama-3.2-1b-instruct 0.027 0.201
@cf/meta/llama-3.1-8b-instruct-fp8 0.152 0.287
@cf/meta/llama-guard-3-8b 0.484 0.03
@cf/nvidia/nemotron-3-120b-a12b 0.5 1.5
@cf/qwen/qwen2.5-coder-32b-instruct @cf/qwen/qwq-32b 0.66 1
@cf/ibm-granite/granite-4.0-h-micro 0.017 0.112
deepseek-ai/DeepSeek-V4-Pro 1.74 3.48 0.145
`;

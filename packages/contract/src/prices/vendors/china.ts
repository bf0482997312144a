/**
 * DeepSeek (api-docs.deepseek.com/quick_start/pricing), Moonshot (platform.kimi.ai/docs/pricing,
 * platform.moonshot.ai/docs/pricing), MiniMax (platform.minimax.io), Zhipu (docs.z.ai/guides/overview/pricing), Alibaba
 * (alibabacloud.com/help/en/model-studio/models) and Volcengine (volcengine.com/docs/82379/1544106) in US dollars, as
 * LiteLLM 1.110.2 and the catalogue of pi-ai 1.5.2 list them, November 2026. DeepSeek's are those of its dear hours, the others
 * half of them. What others publish in yuan alone stands in yuan.ts.
 */
export const chinesePrices = `
deepseek-v4-pro 1.32 3.96 0.044
deepseek-flash deepseek-v4-flash 0.3 1.2 0.006
deepseek-r1 0.55 2.19 0.14
deepseek-v3 0.27 1.1 0.07
kimi-k3 3 15 0.3
kimi-k3.1-pro 2 10 0.2
kimi-k3.1-pro-highspeed 4 20 0.2
kimi-k2.7-code-highspeed 1.9 8 0.38
kimi-k2.7-code 0.95 4 0.19
kimi-k2.6 0.95 4 0.16
moonshot-v1-8k 0.2 2
moonshot-v1-32k 1 3
moonshot-v1-128k 2 5
MiniMax-M3.1-Flash 0.15 0.6 0.015
MiniMax-M3 MiniMax-M2.7 0.3 1.2 0.06
MiniMax-M2.7-highspeed 0.6 2.4 0.06
MiniMax-M2.5 MiniMax-M2.1 MiniMax-M2 0.3 1.2 0.03
MiniMax-M2.5-lightning MiniMax-M2.1-lightning 0.3 2.4 0.03
glm-5.3 glm-5.2 glm-5.1 1.4 4.4 0.26
glm-5.3-flashx 0.37 1.25 0.075
glm-5.3-flash 0.15 0.5 0.03
glm-5-turbo 1.2 4 0.24
glm-5 1 3.2 0.2
glm-4.7 glm-4.6 0.6 2.2 0.11
glm-4.5 0.6 2.2
glm-4.5-air 0.2 1.1
qwen3.8-max-prime 4 12 0.5
qwen3.8-max 2 6 0.25
qwen3.8-flash 0.15 0.47 0.016
qwen3.7-max 2.5 7.5 0.5
qwen-max 1.6 6.4
qwen-plus 0.4 1.2
qwen-flash 0.05 0.4
qwen-turbo 0.05 0.2
qwen3-max 1.2 6
qwen3-coder-plus 1 5 0.1
qwen3-coder-flash 0.3 1.5 0.08
qwen3-vl-plus 0.2 1.6
qwen3.5-plus 0.4 2.4
qwen3.7-plus 0.4 1.6 0.08
qwq-plus 0.8 2.4
doubao-seed-2-1-pro-260915 0.8625 4.3125 0.1725
doubao-seed-2-1-lite-260915 0.115 0.388126 0.023 - - 1.725
doubao-seed-2-1-turbo-260628 0.43125 2.15625 0.08625
`;

/**
 * Dollars of one yuan: the rate at which LiteLLM 1.110.2 converts Volcengine's list, November 2026. It moves, and prices
 * from here with it: an operator who buys in yuan sets their own.
 */
export const dollarsOfYuan = 0.14375;

/**
 * Yuan for a million tokens, of vendors that list no dollars: Baidu (cloud.baidu.com/doc/qianfan/s/rmh4stp0j), Tencent
 * (cloud.tencent.com/document/product/1729/104753), Volcengine (volcengine.com/docs/82379/1544106), SiliconFlow
 * (siliconflow.cn/zh-cn/models), 360 (ai.360.cn/platform/docs/overview) and 01.AI (platform.lingyiwanwu.com/docs), as
 * LobeHub's model bank lists them, 2026. Where the price of an answer depends on its length too, the dearer one stands
 * here.
 */
export const yuanPrices = `
ernie-5.1 4 18
ernie-5.0 ernie-5.0-thinking-latest 6 24
ernie-4.5-turbo-128k ernie-4.5-turbo-32k ernie-4.5-turbo-latest ernie-4.5-turbo-20260402 0.8 3.2 0.2
ernie-4.5-turbo-vl ernie-4.5-turbo-vl-32k ernie-4.5-turbo-vl-latest 3 9 0.75
ernie-x1.1 1 4
ernie-char-fiction-8k 0.3 0.6
ernie-novel-8k 40 120
qianfan-8b 0.5 1
qianfan-70b 0.8 3.2
deepseek-v3.2-think 2 3
hy3-preview 1.2 4 0.4
hunyuan-role-latest 2.4 9.6
doubao-seed-2-0-pro-260215 doubao-seed-2-0-code-preview-260215 3.2 16 0.64
doubao-seed-2-0-lite-260215 0.6 3.6 0.12
doubao-seed-2-0-mini-260215 0.2 2 0.04
doubao-seed-1-8-251228 0.8 8 0.16
deepseek-v3-2-251201 2 3 0.4
glm-4-7-251222 3 14 0.6
Doubao-1.5-pro-32k Doubao-pro-32k 0.8 2
Doubao-1.5-pro-256k 5 9
Doubao-1.5-lite-32k Doubao-lite-32k 0.3 0.6
Doubao-1.5-pro-vision-32k 3 9
Doubao-1.5-thinking-pro 4 16
deepseek-ai/DeepSeek-V4-Flash 1 2
deepseek-ai/DeepSeek-V3.2 2 3
deepseek-ai/DeepSeek-V3.1-Terminus 4 12
deepseek-ai/DeepSeek-R1 moonshotai/Kimi-K2-Thinking 4 16
deepseek-ai/DeepSeek-V3 2 8
Pro/zai-org/GLM-5.1 6 24 1.3
zai-org/GLM-4.6 3.5 14
zai-org/GLM-4.5-Air 1 6
Pro/moonshotai/Kimi-K2.6 6.5 27 1.1
MiniMaxAI/MiniMax-M2.5 2.1 8.4
Qwen/Qwen3.6-35B-A3B Qwen/Qwen3.5-35B-A3B 0.4 3.2
Qwen/Qwen3.6-27B Qwen/Qwen3.5-27B 0.6 4.8
Qwen/Qwen3.5-397B-A17B 0.8 4.8
Qwen/Qwen3.5-122B-A10B 0.8 6.4
Qwen/Qwen3.5-9B 0.5 4
Qwen/Qwen3-235B-A22B-Instruct-2507 2.5 10
Qwen/Qwen3-32B Qwen/Qwen3-VL-32B-Instruct 1 4
Qwen/Qwen3-VL-32B-Thinking 1 10
Qwen/Qwen3-14B 0.5 2
Qwen/Qwen3-Coder-30B-A3B-Instruct 0.7 2.8
Qwen/Qwen2.5-72B-Instruct Qwen/Qwen2.5-72B-Instruct-128K 4.13 4.13
Qwen/Qwen2.5-32B-Instruct 1.26 1.26
Qwen/Qwen2.5-14B-Instruct 0.7 0.7
360gpt-turbo 1 2
360gpt-pro 360gpt2-pro 360gpt-pro-trans 2 5
360zhinao2-o1 360gpt2-o1 4 10
yi-lightning 0.99 0.99
yi-vision-v2 6 6
`;

import { defineProvider, imagesAsData } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints, siliconflowBalance } from '../../families/openai/index.ts';
import { siliconflowAudio, siliconflowImages } from './media.ts';

/** SiliconFlow offers open models under OpenAI's API. */
export const siliconflow = defineProvider({
  type: 40,
  id: 'siliconflow',
  name: { zh: '硅基流动', en: 'SiliconFlow' },
  baseUrl: 'https://api.siliconflow.cn',
  models: [
    'deepseek-ai/DeepSeek-V4-Pro',
    'deepseek-ai/DeepSeek-V4-Flash',
    'deepseek-ai/DeepSeek-V3.2',
    'deepseek-ai/DeepSeek-V3.1-Terminus',
    'deepseek-ai/DeepSeek-R1',
    'deepseek-ai/DeepSeek-V3',
    'zai-org/GLM-5.2',
    'Pro/zai-org/GLM-5.1',
    'zai-org/GLM-4.6',
    'zai-org/GLM-4.5-Air',
    'Pro/moonshotai/Kimi-K2.6',
    'moonshotai/Kimi-K2-Thinking',
    'MiniMaxAI/MiniMax-M2.5',
    'Qwen/Qwen3.6-35B-A3B',
    'Qwen/Qwen3.6-27B',
    'Qwen/Qwen3.5-397B-A17B',
    'Qwen/Qwen3.5-122B-A10B',
    'Qwen/Qwen3.5-35B-A3B',
    'Qwen/Qwen3.5-27B',
    'Qwen/Qwen3.5-9B',
    'Qwen/Qwen3-235B-A22B-Instruct-2507',
    'Qwen/Qwen3-32B',
    'Qwen/Qwen3-14B',
    'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    'Qwen/Qwen3-VL-32B-Instruct',
    'Qwen/Qwen3-VL-32B-Thinking',
    'Qwen/Qwen2.5-72B-Instruct',
    'Qwen/Qwen2.5-72B-Instruct-128K',
    'Qwen/Qwen2.5-32B-Instruct',
    'Qwen/Qwen2.5-14B-Instruct',
    'BAAI/bge-m3',
    'BAAI/bge-reranker-v2-m3',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat', 'openai-completions', 'openai-embeddings', 'cohere-rerank'], {
      hosts: { 'openai-chat': ['other'] },
    }),
    'openai-images': siliconflowImages,
    'openai-audio': siliconflowAudio,
  },
  beforeSend: (call, _channel, tools) =>
    call.url.endsWith('/images/generations') ? imagesAsData(call, 'images', tools) : call,
  fetchModels: listModels(),
  balance: siliconflowBalance,
});

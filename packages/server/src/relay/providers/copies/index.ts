import { defineProvider } from '../../provider-kit/index.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { adaptReasoning, listModels, moonshotBalance, openaiEndpoints } from '../../families/openai/index.ts';

/** Moonshot AI (Kimi) offers OpenAI's chats unchanged, and Anthropic's protocol under its own path. */
export const moonshot = defineProvider({
  type: 25,
  id: 'moonshot',
  name: { zh: '月之暗面', en: 'Moonshot AI' },
  baseUrl: 'https://api.moonshot.cn',
  models: [
    'kimi-k2.6',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k3',
    'kimi-k3.1-pro',
    'kimi-k3.1-pro-highspeed',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat'], { readsReasoning: true, hosts: { 'openai-chat': ['other'] } }),
    'anthropic-messages': { ...anthropicEndpoint('/anthropic/v1/messages'), hosts: [] },
  },
  fetchModels: listModels(),
  balance: moonshotBalance,
});

/** 360 Zhinao offers OpenAI's API unchanged: chats and embeddings. */
export const ai360 = defineProvider({
  type: 19,
  id: 'ai360',
  name: { zh: '360 智脑', en: '360 Zhinao' },
  baseUrl: 'https://api.360.cn',
  models: ['360gpt-turbo', '360gpt-pro', '360gpt2-pro', '360gpt-pro-trans', '360zhinao2-o1', '360gpt2-o1'],
  endpoints: openaiEndpoints(['openai-chat', 'openai-embeddings']),
  fetchModels: listModels(),
});

/** 01.AI (Lingyiwanwu) has OpenAI's chats only. */
export const lingyiwanwu = defineProvider({
  type: 31,
  id: 'lingyiwanwu',
  name: { zh: '零一万物', en: '01.AI' },
  baseUrl: 'https://api.lingyiwanwu.com',
  models: ['yi-lightning', 'yi-vision-v2'],
  endpoints: openaiEndpoints(['openai-chat']),
  fetchModels: listModels(),
});

/** Jina AI: embeddings and rerankers. */
export const jina = defineProvider({
  type: 38,
  id: 'jina',
  name: 'Jina AI',
  baseUrl: 'https://api.jina.ai',
  models: ['jina-clip-v1', 'jina-reranker-v2-base-multilingual', 'jina-reranker-m0', 'jina-reranker-v3.5'],
  endpoints: openaiEndpoints(['openai-embeddings', 'cohere-rerank']),
  fetchModels: listModels(),
});

/** FastGPT: a knowledge base with OpenAI's chat call; the key identifies the application. */
export const fastgpt = defineProvider({
  type: 22,
  id: 'fastgpt',
  name: 'FastGPT',
  baseUrl: 'https://fastgpt.run/api/openapi',
  ownedBy: 'openai',
  hints: { key: 'APIKey-AppId' },
  endpoints: openaiEndpoints(['openai-chat'], { adapt: { 'openai-chat': adaptReasoning } }),
  fetchModels: listModels(),
});

/** MokaAI: the m3e embeddings. */
export const mokaAi = defineProvider({
  type: 44,
  id: 'moka-ai',
  name: 'MokaAI',
  baseUrl: 'https://api.moka.ai',
  ownedBy: 'mokaai',
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
  endpoints: openaiEndpoints(['openai-embeddings'], { paths: { 'openai-embeddings': '/embeddings' } }),
  fetchModels: listModels(),
});

/** Xinference: open models on the operator's machines, with OpenAI's API. */
export const xinference = defineProvider({
  type: 47,
  id: 'xinference',
  name: 'Xinference',
  hints: {
    address: {
      placeholder: 'http://localhost:9997',
      meaning: { zh: '自行部署的服务地址', en: 'The address of your own server' },
    },
  },
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
  endpoints: openaiEndpoints([
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ]),
  fetchModels: listModels(),
});

/** Submodel serves open models under OpenAI's API, chats only. */
export const submodel = defineProvider({
  type: 53,
  id: 'submodel',
  name: 'Submodel',
  baseUrl: 'https://llm.submodel.ai',
  endpoints: openaiEndpoints(['openai-chat']),
  fetchModels: listModels(),
});

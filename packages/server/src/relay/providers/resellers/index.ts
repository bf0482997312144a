import { originOf, type Provider } from '../../types/index.ts';
import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  aiproxyAccounts,
  aiproxyBalance,
  creditGrants,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
} from '../../families/openai/index.ts';

/** A vendor that resells OpenAI models under OpenAI's own API. */
const reseller = (terms: Omit<Parameters<typeof defineProvider>[0], 'endpoints'>): Provider =>
  defineProvider({
    ownedBy: 'openai',
    endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
    realtime: openaiRealtime,
    fetchModels: listModels(),
    ...terms,
  });

export const openaiMax = reseller({
  type: 6,
  id: 'openai-max',
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
});

export const ohmygpt = reseller({
  type: 7,
  id: 'ohmygpt',
  name: 'OhMyGPT',
  baseUrl: 'https://api.ohmygpt.com',
});

export const ails = reseller({
  type: 9,
  id: 'ails',
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
});

export const aiproxy = reseller({
  type: 10,
  id: 'aiproxy',
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  balance: aiproxyBalance,
  keyOrigins: ({ baseUrl }) => [originOf(baseUrl), aiproxyAccounts],
});

export const api2gpt = reseller({
  type: 12,
  id: 'api2gpt',
  name: 'API2GPT',
  baseUrl: 'https://api.api2gpt.com',
  balance: creditGrants('total_remaining'),
});

export const aigc2d = reseller({
  type: 13,
  id: 'aigc2d',
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  balance: creditGrants('total_available'),
});

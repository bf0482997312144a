import { product } from '@tollgate/contract';
import { bearer, defineProvider } from '../../provider-kit/index.ts';
import {
  openrouterBalance,
  adaptReasoning,
  listModels,
  openaiEndpoints,
  withOwnDetails,
} from '../../families/openai/index.ts';
import type { Endpoint } from '../../types/index.ts';

/** OpenRouter lists calling sites by these headers. */
const site = { 'http-referer': `https://${product.id}.invalid/`, 'x-title': product.name };

/** Reasoning of earlier turns is passed to the vendors behind it, which accept only their own. */
const adapt: Endpoint['adapt'] = (body, context) => {
  const messages = withOwnDetails(body.messages);
  if (messages) body.messages = messages;
  return adaptReasoning(body, context);
};

/** OpenRouter: many vendors through one OpenAI chat call. */
export const openrouter = defineProvider({
  type: 20,
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  headers: (channel) => ({ ...bearer(channel), ...site }),
  endpoints: openaiEndpoints(
    ['openai-chat', 'openai-responses', 'openai-completions', 'openai-embeddings', 'cohere-rerank'],
    { adapt: { 'openai-chat': adapt }, readsReasoning: true },
  ),
  fetchModels: listModels(),
  balance: openrouterBalance,
});

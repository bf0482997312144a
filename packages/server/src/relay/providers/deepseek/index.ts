import { defineProvider } from '../../provider-kit/index.ts';
import { adaptClaude, anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { deepseekBalance, listModels, openaiEndpoints } from '../../families/openai/index.ts';
import { cutSuffix } from '@tollgate/contract';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { AdaptContext, Adapted } from '../../types/index.ts';

/** The fourth generation thinks if `thinking` requests it, by an effort (DeepSeek's guide to thinking mode). */
function adaptChat(body: JsonObject, { model }: AdaptContext): Adapted | undefined {
  const cut = cutSuffix(model, 'deepseek-v4');
  if (!cut) return undefined;
  body.thinking = switched(cut.suffix);
  if (cut.suffix === 'none') delete body.reasoning_effort;
  else body.reasoning_effort = cut.suffix;
  return { model: cut.model, reasoningEffort: cut.suffix };
}

/** The same in Anthropic's form. */
function adaptMessages(body: JsonObject, context: AdaptContext): Adapted {
  const cut = cutSuffix(context.model, 'deepseek-v4');
  const adapted = adaptClaude(body, cut ? { ...context, model: cut.model } : context);
  if (!cut) return adapted;
  const { effort: _effort, ...config } = isObject(body.output_config) ? body.output_config : {};
  body.thinking = switched(cut.suffix);
  if (cut.suffix !== 'none') body.output_config = { ...config, effort: cut.suffix };
  else if (Object.keys(config).length > 0) body.output_config = config;
  else delete body.output_config;
  return { model: cut.model, reasoningEffort: cut.suffix };
}

const switched = (suffix: string): JsonObject => ({ type: suffix === 'none' ? 'disabled' : 'enabled' });

/** DeepSeek offers OpenAI's API, and Anthropic's protocol under its own path; its text completions are a beta. */
export const deepseek = defineProvider({
  type: 43,
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-v4-flash', 'deepseek-v4-pro'],
  endpoints: {
    ...openaiEndpoints(['openai-chat', 'openai-completions', 'openai-responses'], {
      paths: { 'openai-completions': '/beta/completions', 'openai-responses': '/responses' },
      hosts: { 'openai-chat': ['other'] },
      adapt: { 'openai-chat': adaptChat },
      readsReasoning: true,
    }),
    'anthropic-messages': {
      ...anthropicEndpoint('/anthropic/v1/messages'),
      // Of Anthropic's tools only the search.
      hosts: ['web-search'],
      adapt: adaptMessages,
    },
  },
  fetchModels: listModels(),
  balance: deepseekBalance,
});

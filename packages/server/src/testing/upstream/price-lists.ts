import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PriceSourceName } from '@tollgate/contract';

/** A few models in the form of `https://models.dev/api.json`: dollars per million tokens. */
export const modelsDevList = {
  openai: {
    id: 'openai',
    env: ['OPENAI_API_KEY'],
    npm: '@ai-sdk/openai',
    name: 'OpenAI',
    doc: 'https://platform.openai.com/docs/models',
    models: {
      'gpt-4o': {
        id: 'gpt-4o',
        name: 'GPT-4o',
        attachment: true,
        modalities: { input: ['text', 'image'], output: ['text'] },
        cost: { input: 2.5, output: 10, cache_read: 1.25 },
        limit: { context: 128_000, output: 16_384 },
      },
      'gpt-new': {
        id: 'gpt-new',
        name: 'GPT new',
        cost: { input: 3, output: 15, cache_read: 0.3, context_over_200k: { input: 6, output: 22.5 } },
        limit: { context: 400_000, output: 128_000 },
      },
      'gpt-odd': { id: 'gpt-odd', name: 'GPT odd', cost: { input: 1, output: 2 } },
    },
  },
  google: {
    id: 'google',
    name: 'Google',
    models: {
      'gemini-hears': {
        id: 'gemini-hears',
        cost: { input: 0.3, output: 2.5, cache_read: 0.075, input_audio: 1 },
      },
    },
  },
  'github-copilot': {
    id: 'github-copilot',
    name: 'GitHub Copilot',
    models: { 'gpt-4o': { id: 'gpt-4o', name: 'GPT-4o', cost: { input: 0, output: 0 } } },
  },
} as const;

/** The same in the form of LiteLLM's `model_prices_and_context_window.json`: dollars per token. */
export const liteLlmList = {
  sample_spec: {
    input_cost_per_token: 0,
    output_cost_per_token: 0,
    litellm_provider: 'one of …',
    mode: 'chat',
  },
  'gpt-4o': {
    cache_read_input_token_cost: 1.25e-6,
    input_cost_per_token: 2.5e-6,
    litellm_provider: 'openai',
    max_input_tokens: 128_000,
    mode: 'chat',
    output_cost_per_token: 1e-5,
    supports_vision: true,
  },
  'gpt-new': {
    input_cost_per_token: 3e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    litellm_provider: 'openai',
    mode: 'chat',
    output_cost_per_token: 1.5e-5,
  },
  'gpt-odd': {
    input_cost_per_token: 1.5e-6,
    litellm_provider: 'openai',
    mode: 'chat',
    output_cost_per_token: 2e-6,
  },
  'azure/gpt-new': {
    input_cost_per_token: 3.3e-6,
    litellm_provider: 'azure',
    mode: 'chat',
    output_cost_per_token: 1.65e-5,
  },
  'gemini/gemini-hears': {
    input_cost_per_audio_token: 1e-6,
    input_cost_per_token: 3e-7,
    litellm_provider: 'gemini',
    mode: 'chat',
    output_cost_per_token: 2.5e-6,
  },
  'painter-1': { litellm_provider: 'openai', mode: 'image_generation', output_cost_per_image: 0.04 },
  'claude-writes-20260101': {
    cache_creation_input_token_cost: 3.75e-6,
    cache_read_input_token_cost: 3e-7,
    input_cost_per_token: 3e-6,
    litellm_provider: 'anthropic',
    mode: 'chat',
    output_cost_per_token: 1.5e-5,
  },
} as const;

/** The same in the form of `https://openrouter.ai/api/v1/models`: dollars per token, as text. */
export const openRouterList = {
  data: [
    {
      id: 'openai/gpt-4o',
      canonical_slug: 'openai/gpt-4o',
      name: 'OpenAI: GPT-4o',
      created: 1_715_558_400,
      context_length: 128_000,
      architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'] },
      pricing: {
        prompt: '0.0000025',
        completion: '0.00001',
        request: '0',
        image: '0.003613',
        web_search: '0',
        internal_reasoning: '0',
        input_cache_read: '0.00000125',
      },
      supported_parameters: ['max_tokens', 'tools'],
    },
    { id: 'anthropic/claude-writes', pricing: { prompt: '0.000003', completion: '0.000015' } },
    { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'meta-llama/given-away:free', pricing: { prompt: '0', completion: '0', request: '0' } },
  ],
} as const;

const usual: Readonly<Record<PriceSourceName, unknown>> = {
  models_dev: modelsDevList,
  litellm: liteLlmList,
  openrouter: openRouterList,
};

/** Three public price lists on one socket. */
export interface FakePriceLists {
  /** The value of the setting PriceSyncSources for these lists. */
  sources: string;
  /** Sets the answer of each list from now on: JSON, or a text unchanged. */
  answer(source: PriceSourceName, body: unknown, status?: number): void;
  /** Every request so far: its path and headers. */
  asked: { path: string; headers: NodeJS.Dict<string | string[]> }[];
  close(): Promise<void>;
}

/** Starts the lists. */
export async function openPriceLists(): Promise<FakePriceLists> {
  const answers = new Map<string, { status: number; text: string }>();
  const answer: FakePriceLists['answer'] = (source, body, status = 200) =>
    void answers.set(`/${source}`, { status, text: typeof body === 'string' ? body : JSON.stringify(body) });
  for (const source of Object.keys(usual) as PriceSourceName[]) answer(source, usual[source]);
  const asked: FakePriceLists['asked'] = [];
  const server: Server = createServer(({ url = '', headers }, res) => {
    asked.push({ path: url, headers });
    const { status, text } = answers.get(url) ?? { status: 404, text: '' };
    res.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sources: JSON.stringify(
      Object.fromEntries(Object.keys(usual).map((source) => [source, `${base}/${source}`])),
    ),
    answer,
    asked,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

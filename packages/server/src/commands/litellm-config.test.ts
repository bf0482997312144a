import { expect, it, test } from 'vitest';
import { readLitellmConfig } from './shared/litellm-config.ts';

const config = `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_KEY }
  - model_name: fast
    litellm_params: { model: gpt-4o-mini, api_key: os.environ/OPENAI_KEY }
  - model_name: gpt-4o
    litellm_params: { model: azure/our-4o, api_base: "https://us.openai.azure.com/", api_key: k, api_version: 2025-04-01-preview, order: 2, weight: 3 }
  - model_name: gpt-4o
    litellm_params: { model: azure/our-4o-2, api_base: "https://us.openai.azure.com/", api_key: k, api_version: 2025-04-01-preview, order: 2, weight: 3 }
  - model_name: claude
    litellm_params: { model: anthropic/claude-opus-4, rpm: 60, tpm: 100000 }
  - model_name: sonnet
    litellm_params: { model: bedrock/converse/anthropic.claude-sonnet-4, aws_access_key_id: os.environ/AWS_ID, aws_secret_access_key: s, aws_region_name: us-east-1 }
  - model_name: local
    litellm_params: { model: openai/llama, api_base: "http://10.0.0.5:8000/v1", api_key: none, input_cost_per_token: 0, output_cost_per_token: 0 }
  - model_name: own
    litellm_params: { model: groq/llama-3.3-70b, stream_timeout: 60 }
    model_info: { input_cost_per_token: 0.0000005, output_cost_per_token: 0.000002, cache_read_input_token_cost: 0.00000005 }
  - model_name: headed
    litellm_params: { model: groq/llama-3.3-70b, extra_headers: { x-team: a, x-api-key: clear } }
  - model_name: "openai/*"
    litellm_params: { model: "openai/*" }
  - model_name: odd
    litellm_params: { model: sagemaker/thing }
router_settings:
  routing_strategy: least-busy
  num_retries: 2
  model_group_alias: { gpt-4: gpt-4o }
litellm_settings:
  fallbacks: [{ gpt-4o: [claude] }]
general_settings:
  master_key: sk-1234
`;

it('gives the aliases of a deployment its own limits, not theirs as well', () => {
  const limited = `
model_list:
  - { model_name: gpt-4o, litellm_params: &params { model: openai/gpt-4o, rpm: 10 } }
  - { model_name: other, litellm_params: *params }
router_settings:
  model_group_alias: { gpt-4: gpt-4o, gpt-4o: gpt-4o }
`;
  const { channels } = readLitellmConfig(limited, {}).file;
  const limits = { requests_per_minute: 10 };
  expect(Object.values(channels)).toMatchObject([
    { models: ['gpt-4o', 'gpt-4'], setting: { limits } },
    { models: ['other'], setting: { limits } },
  ]);
});

it('makes channels of deployments: one for each vendor, address and key', () => {
  const { channels } = readLitellmConfig(config, {}).file;
  expect(channels).toEqual({
    openai: {
      type: 1,
      key: { env: 'OPENAI_KEY' },
      models: ['gpt-4o', 'fast', 'gpt-4'],
      model_mapping: { fast: 'gpt-4o-mini', 'gpt-4': 'gpt-4o' },
    },
    azure: {
      type: 3,
      base_url: 'https://us.openai.azure.com',
      other: '2025-04-01-preview',
      key: { env: 'LITELLM_KEY' },
      weight: 3,
      priority: -2,
      models: ['gpt-4o', 'gpt-4'],
      model_mapping: { 'gpt-4o': 'our-4o', 'gpt-4': 'our-4o' },
    },
    'azure 2': {
      type: 3,
      base_url: 'https://us.openai.azure.com',
      other: '2025-04-01-preview',
      key: { env: 'LITELLM_KEY' },
      weight: 3,
      priority: -2,
      models: ['gpt-4o', 'gpt-4'],
      model_mapping: { 'gpt-4o': 'our-4o-2', 'gpt-4': 'our-4o-2' },
    },
    anthropic: {
      type: 14,
      key: { env: 'ANTHROPIC_API_KEY' },
      setting: { limits: { requests_per_minute: 60, tokens_per_minute: 100_000 } },
      models: ['claude'],
      model_mapping: { claude: 'claude-opus-4' },
    },
    bedrock: {
      type: 33,
      key: { env: 'BEDROCK_KEY' },
      models: ['sonnet'],
      model_mapping: { sonnet: 'anthropic.claude-sonnet-4' },
    },
    'openai 2': {
      type: 1,
      base_url: 'http://10.0.0.5:8000',
      key: { env: 'LITELLM_KEY_2' },
      models: ['local'],
      model_mapping: { local: 'llama' },
    },
    groq: {
      type: 9101,
      key: { env: 'GROQ_API_KEY' },
      models: ['own'],
      model_mapping: { own: 'llama-3.3-70b' },
    },
    'groq 2': {
      type: 9101,
      key: { env: 'GROQ_API_KEY' },
      header_override: { 'x-team': 'a', 'x-api-key': { env: 'LITELLM_HEADER' } },
      models: ['headed'],
      model_mapping: { headed: 'llama-3.3-70b' },
    },
  });
});

it('adds prices and fallbacks to those of the site', () => {
  const present = { ModelRatio: { 'gpt-4o': 1.25 }, ModelFallbacks: { a: ['b'] } };
  expect(readLitellmConfig(config, present).file.settings).toEqual({
    ModelRatio: { 'gpt-4o': 1.25, local: 0, own: 0.25 },
    CompletionRatio: { own: 4 },
    CacheRatio: { own: 0.1 },
    RetryTimes: '2',
    RoutingPolicies: { '*': 'least_busy' },
    ModelFallbacks: { a: ['b'], 'gpt-4o': ['claude'] },
  });
});

it('says what it leaves out, and repeats no key', () => {
  const { file, notes } = readLitellmConfig(config.replaceAll('api_key: k,', 'api_key: sk-clear,'), {});
  expect(JSON.stringify([file, notes])).not.toMatch(/sk-clear|sk-1234/);
  expect(readLitellmConfig(config, {}).notes).toEqual([
    'own: stream_timeout is left out',
    'openai/*: name the models; a channel offers no patterns',
    'odd: there is no vendor for sagemaker/thing',
    'master_key: make an access token under Profile instead',
    'set LITELLM_KEY to the key of azure/our-4o',
    'set BEDROCK_KEY to ACCESS_KEY_ID|SECRET_ACCESS_KEY|REGION',
    'set LITELLM_KEY_2 to the key of openai/llama',
    'set LITELLM_HEADER to the header x-api-key of headed',
  ]);
});

test.each([
  ['- 1', 'this is no configuration of LiteLLM'],
  ['', 'this is no configuration of LiteLLM'],
  ['a: 1', 'the configuration has no model_list'],
  ['model_list: []', 'the configuration has no model_list'],
  ['key: [', 'must be sufficiently indented and end with a ]'],
])('%s is refused', (text, reason) => {
  expect(() => readLitellmConfig(text, {})).toThrow(reason);
});

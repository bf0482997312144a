import { randomBytes } from 'node:crypto';
import { settingDeclarations, type SuffixFamily, suffixFamilies } from '@tollgate/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { providers } from '../../../relay/registry.ts';
import { createSealer } from '../../../lib/seal.ts';
import { createSettings } from '../../site/settings/index.ts';
import { createPricing, type Pricing } from './index.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let pricing: Pricing;
beforeAll(async () => {
  const settings = await createSettings({
    options: { all: () => Promise.resolve([]), put: () => Promise.resolve() },
    sealer: createSealer(randomBytes(32)),
    log,
    clock: () => 0,
  });
  pricing = createPricing({ settings, log });
});

const offered = [...new Set(providers.flatMap(({ models }) => models))];
const modelsOf = (id: string): readonly string[] => providers.find((provider) => provider.id === id)!.models;

const ownMachines = 'runs on machines of one’s own, which no vendor sells';
const noList = 'its vendor publishes no price for a second or a token that was found';
const givenAway = 'its vendor gives it away, and a price of zero is for the operator to set';
const preset = 'its vendor bills it by a model that it changes';
/** Models that are offered but refused until an operator sets a price, with the reason. */
const unpriced: Readonly<Record<string, string>> = {
  'llama3-7b': ownMachines,
  'm3e-large': ownMachines,
  'm3e-base': ownMachines,
  'm3e-small': ownMachines,
  'bge-reranker-v2-m3': ownMachines,
  'jina-reranker-v2': ownMachines,
  'BAAI/bge-m3': givenAway,
  'BAAI/bge-reranker-v2-m3': givenAway,
  'qwen3-235b-a22b': 'an answer costs three times as much where the model thinks, which one price cannot say',
  SparkDesk: 'sold in packages of tokens',
  'SparkDesk-v3.1-128K': 'sold in packages of tokens',
  'SparkDesk-v3.5-32K': 'sold in packages of tokens',
  'jina-clip-v1': noList,
  'kling-v1': noList,
  'kling-v1-6': noList,
  'kling-v2-master': noList,
  'kling-v2-1': noList,
  'kling-v2-1-master': noList,
  'kling-v2-5-turbo': noList,
  'kling-v2-6': noList,
  jimeng_t2v_v30: noList,
  jimeng_i2v_first_v30: noList,
  jimeng_t2v_v30_1080p: noList,
  jimeng_ti2v_v30_pro: noList,
  viduq2: 'its seconds cost less the more there are',
  'vidu2.0': 'its seconds cost more in its longer videos',
  'viduq3-turbo': noList,
  'sonar-pro': preset,
  'sonar-reasoning-pro': preset,
  'sonar-deep-research': preset,
  'bytedance/seedance-1-lite': noList,
  'kwaivgi/kling-v2.1': noList,
};

describe('a model that a built-in list offers', () => {
  it('has a price, or is listed among those that have none for a reason', () => {
    expect(offered.filter((model) => !pricing.isPriced(model)).toSorted()).toEqual(
      Object.keys(unpriced).toSorted(),
    );
  });

  it('has a price, or is marked as unpriced and refused', () => {
    const shown = pricing.pricingList(offered.map((model) => ({ model, group: 'default' })));
    const marked = new Set(shown.filter(({ unset }) => unset).map(({ model_name: name }) => name));
    for (const model of offered) {
      const isRefused = 'refusal' in pricing.snapshot(model, 'default', { acceptUnset: false });
      expect([model, isRefused, marked.has(model)]).toEqual(
        pricing.isPriced(model) ? [model, false, false] : [model, true, true],
      );
    }
    const priced = offered.length - marked.size;
    console.info(`models of the built-in lists: ${priced} priced, ${marked.size} without a price`);
  });

  it.each([
    ['openai', 'gpt-4', 'gpt-3.5-turbo', 'o1', 'gpt-image-1', 'gpt-4o-mini-realtime-preview-2024-12-17'],
    ['anthropic', 'claude-2', 'claude-3-5-haiku-20241022', 'claude-opus-4-20250514'],
    ['bedrock', 'claude-3-opus-20240229', 'claude-sonnet-4-20250514'],
    ['gemini', 'gemini-1.5-pro', 'gemini-2.0-flash', 'text-embedding-004'],
    ['deepseek', 'deepseek-chat', 'deepseek-reasoner'],
    ['moonshot', 'moonshot-v1-8k'],
    ['xai', 'grok-2', 'grok-3-beta'],
    ['mistral', 'open-mistral-7b'],
    ['zhipu-v4', 'glm-3-turbo', 'glm-4'],
    ['zhipu', 'chatglm_turbo', 'chatglm_pro', 'chatglm_std', 'chatglm_lite'],
    ['ali', 'qwen-turbo', 'qwq-plus'],
    ['baidu', 'ERNIE-4.0-8K', 'ERNIE-3.5-8K', 'ERNIE-Speed-128K', 'Embedding-V1'],
    ['xunfei', 'SparkDesk-v2.1'],
    ['lingyiwanwu', 'yi-large', 'yi-medium-200k', 'yi-spark'],
    ['ai360', '360GPT_S2_V9', 'embedding_s1_v1'],
  ])('of %s is still served by its vendor, and those that are not keep their price: %s', (id, ...ended) => {
    expect(modelsOf(id).filter((model) => ended.includes(model))).toEqual([]);
    expect(ended.filter((model) => !pricing.isPriced(model))).toEqual([]);
  });
});

describe('a name with a suffix of its family', () => {
  const families: SuffixFamily[] = Object.values(suffixFamilies);
  const suffixed = offered.flatMap((model) =>
    families
      .filter(({ has }) => has(model))
      .flatMap(({ suffixes }) =>
        suffixes.map((suffix) => [model, `${model}-${suffix.replace('N', '2048')}`] as const),
      ),
  );

  it('costs the same as without it, in holds, on bills and in lists, where it has no price of its own', () => {
    const shown = new Map(
      pricing
        .pricingList(suffixed.map(([, model]) => ({ model, group: 'default' })))
        .map((item) => [item.model_name, item]),
    );
    const table = settingDeclarations.ModelRatio.default;
    for (const [bare, model] of suffixed) {
      expect([model, pricing.isPriced(model)]).toEqual([model, pricing.isPriced(bare)]);
      expect([model, shown.get(model)?.unset]).toEqual([model, !pricing.isPriced(bare)]);
      const price = (name: string) => pricing.snapshot(name, 'default', { acceptUnset: false });
      if (Object.hasOwn(table, model)) continue;
      expect({ model, price: price(model) }).toEqual({ model, price: price(bare) });
    }
    expect(suffixed.length).toBeGreaterThan(300);
  });

  it('reads its cache at the price of the name without it, also where its own price is in the table', () => {
    const efforts = ['high', 'medium', 'low'].map((effort) =>
      pricing.snapshot(`o3-mini-${effort}`, 'default', { acceptUnset: false }),
    );
    expect(efforts).toMatchObject(Array(3).fill({ modelRatio: 0.55, cacheRatio: 0.5 }));
  });
});

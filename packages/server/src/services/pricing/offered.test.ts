import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { providers } from '../../relay/registry.ts';
import { createSealer } from '../../lib/seal.ts';
import { createSettings } from '../settings/index.ts';
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

describe('a model that a built-in list offers', () => {
  it('has a price, or is marked as one that has none and refused', () => {
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

  it.each(['anthropic', 'bedrock', 'deepseek', 'mistral', 'moonshot', 'zhipu-v4'])(
    'of %s has a price',
    (id) => {
      expect(modelsOf(id).filter((model) => !pricing.isPriced(model))).toEqual([]);
    },
  );
});

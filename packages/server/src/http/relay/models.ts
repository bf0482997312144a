import { refuse, type Provider } from '../../relay/types/index.ts';

/** Google's methods of a model here. */
const methods = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
];

interface GeminiModel {
  name: string;
  baseModelId: string;
  version: string;
  displayName: string;
  description: string;
  supportedGenerationMethods: readonly string[];
}

const describe = (name: string): GeminiModel => ({
  name: `models/${name}`,
  baseModelId: name,
  version: '001',
  displayName: name,
  description: '',
  supportedGenerationMethods: methods,
});

/** All models in one page, as Google's list has them. */
export const listGeminiModels = (names: readonly string[]): object => ({ models: names.map(describe) });

/** One model; throws Google's error for an unknown one. */
export function geminiModel(names: readonly string[], name: string): GeminiModel {
  if (!names.includes(name)) {
    throw refuse('model_not_found', { model: `models/${name}` });
  }
  return describe(name);
}

/** Model name → `owned_by`: the first provider that lists it. */
export function ownersOfModels(
  providers: readonly Pick<Provider, 'models' | 'ownedBy'>[],
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const provider of providers) {
    for (const model of provider.models) if (!owners.has(model)) owners.set(model, provider.ownedBy);
  }
  return owners;
}

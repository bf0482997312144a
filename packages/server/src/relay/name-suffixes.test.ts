import { bareName, type SuffixFamily, type SuffixFamilyId, suffixFamilies } from '@tollgate/contract';
import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { writeOutgoing } from './outgoing.ts';
import { providers } from './registry.ts';
import { findTranslationRoute } from './translation-route.ts';
import type { Provider } from './types/index.ts';

// Every suffix on the name of an offered model is removed, and the body has its meaning in the vendor's format.

/** Providers that read the suffixes of each family; the models are their own. */
const readers: Record<SuffixFamilyId, readonly string[]> = {
  openai: ['openai', 'azure', 'codex'],
  'gpt-oss': ['groq', 'together', 'cerebras'],
  'grok-3-mini': ['xai'],
  'grok-search': ['xai'],
  'ernie-search': ['baidu-v2'],
  claude: ['anthropic', 'bedrock', 'vertex'],
  'claude-effort': ['anthropic', 'bedrock', 'vertex'],
  gemini: ['gemini', 'vertex'],
  'gemini-level': ['gemini', 'vertex'],
  'deepseek-v4': ['deepseek'],
};

/** Field of a body that has the value of each suffix. */
const fieldOf: Readonly<Record<string, RegExp>> = {
  search: /"search_parameters":\{"mode":"on"\}|"web_search":\{"enable":true/,
  thinking: /"thinking":\{"type":"(enabled|adaptive)"|"thinkingBudget":[1-9]/,
  'thinking-2048': /"thinkingBudget":2048/,
  nothinking: /"thinkingBudget":(0|128|512)\b/,
};
/** Models that accept only levels. */
const levelsAlone: Readonly<Record<string, RegExp>> = {
  thinking: /"thinkingLevel":"(low|medium|high)"/,
  'thinking-2048': /"thinkingLevel":"low"/,
  nothinking: /"thinkingLevel":"low"/,
};
const fieldIn = (model: string, suffix: string): RegExp =>
  (/gemini-4/.test(model) ? levelsAlone[suffix] : fieldOf[suffix]) ?? effortField(suffix);
const effortField = (effort: string): RegExp =>
  effort === 'none'
    ? /"(reasoning_)?effort":"none"|"thinking":\{"type":"disabled"\}/
    : new RegExp(`"(reasoning_effort|effort|thinkingLevel)":"${effort}"`);

const options = { ...relayOptions, settings: { 'gemini.thinking_adapter_enabled': true } };
const channel = buildChannel({ key: 'app|secret|us-east-1' });

function sent(provider: Provider, model: string, settings: object = {}) {
  const body = { model, messages: [{ role: 'user', content: 'hi' }] };
  const request = buildRequest('openai-chat', body);
  const route = findTranslationRoute(provider, { protocol: 'openai-chat', model });
  if (!route) return undefined;
  const all = { ...options, settings: { ...options.settings, ...settings } };
  const job = { provider, channel, request, options: all, route, upstreamModel: model, secrets: [] };
  const { model: upstream, body: bytes } = writeOutgoing(job);
  return { upstream, body: bytes.toString() };
}

/** Listed names that already have a suffix are found by their bare name. */
const modelsOf = ({ models }: Provider, { has }: SuffixFamily): string[] =>
  models.filter((model) => has(model) && bareName(model) === undefined);

const cells = (Object.entries(suffixFamilies) as [SuffixFamilyId, SuffixFamily][]).flatMap(([id, family]) =>
  providers
    .filter((provider) => readers[id].includes(provider.id))
    .flatMap((provider) =>
      modelsOf(provider, family).flatMap((model) =>
        family.suffixes.map((suffix) => ({ id, provider, model, suffix: suffix.replace('N', '2048') })),
      ),
    ),
);

describe('the suffix of a name', () => {
  test.each(Object.keys(suffixFamilies))('of the family %s is cut and becomes a field', (id) => {
    const lost = cells
      .filter((cell) => cell.id === id)
      .filter(({ provider, model, suffix }) => {
        const bare = sent(provider, model);
        const cut = sent(provider, `${model}-${suffix}`);
        if (!bare || !cut) return false;
        return cut.upstream !== bare.upstream || !fieldIn(model, suffix).test(cut.body);
      })
      .map(({ provider, model, suffix }) => `${provider.id}: ${model}-${suffix}`);
    expect(lost).toEqual([]);
  });

  it('is recognized for every family whose models are in a list', () => {
    expect(cells.length).toBeGreaterThan(200);
  });

  it('is kept where the site says that a name ends so by itself', () => {
    const listed = { 'global.thinking_model_blacklist': ['claude-sonnet-4-6-thinking'] };
    const anthropic = providers.find(({ id }) => id === 'anthropic')!;
    const model = 'claude-sonnet-4-6-thinking';
    expect(sent(anthropic, model, listed)?.upstream).toBe(model);
    expect(sent(anthropic, model)?.upstream).toBe('claude-sonnet-4-6');
  });
});

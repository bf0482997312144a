import { bareName, claudeVersion, isAdaptiveClaude, isLevelGemini, suffixFamilies } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { bridge } from './bridge.ts';
import { refusesFunctions } from './families/openai/index.ts';
import { findTranslationRoute } from './translation-route.ts';
import { providers } from './registry.ts';
import type { ProtocolId, Provider } from './types/index.ts';

// Servers of one's own stand behind every vendor's protocol. What a generation of a vendor's models refuses is left out for
// names of that vendor alone; a name that no rule knows is never taken for the newest model.

const unknown = [
  'llama-3.3-70b',
  'my-model',
  'minilm',
  'org/qwen3:Q4_K_M',
  'opus',
  'sonnet-latest',
  'best-5',
  'flash-4',
];

describe.each(unknown)('the name %s', (name) => {
  it('is of no generation of any vendor', () => {
    expect({
      claude: claudeVersion(name),
      adaptive: isAdaptiveClaude(name),
      levels: isLevelGemini(name),
      suffix: bareName(name),
      families: Object.entries(suffixFamilies).flatMap(([id, { has }]) => (has(name) ? [id] : [])),
      refusesFunctions: refusesFunctions(name, { functions: {} }),
    }).toEqual({
      claude: undefined,
      adaptive: false,
      levels: false,
      suffix: undefined,
      families: [],
      refusesFunctions: false,
    });
  });
});

const messages = [{ role: 'user', content: 'hi' }];
const sampling = { temperature: 0, top_p: 0.5 };
const callers: [ProtocolId, JsonObject][] = [
  ['openai-chat', { messages, ...sampling }],
  ['anthropic-messages', { messages, ...sampling, top_k: 7, max_tokens: 99 }],
  ['openai-responses', { input: 'hi', ...sampling }],
  [
    'gemini',
    {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: { temperature: 0, topP: 0.5, topK: 7 },
    },
  ],
];

const asked = (protocol: ProtocolId, fields: JsonObject, model: string) =>
  buildRequest(protocol, { model, ...fields });

/** The sampling that a call leaves out. */
function dropped(provider: Provider, protocol: ProtocolId, fields: JsonObject, model: string): string[] {
  const channel = buildChannel({ key: 'app|secret|us-east-1', other: 'us-east-1' });
  const { dropped: all, body } = bridge(
    provider,
    channel,
    asked(protocol, fields, model),
    model,
    relayOptions,
  );
  const lost = all.filter((what) => /temperature|top_?[pk]/i.test(what));
  return /"temperature": ?0\b/.test(body.toString()) ? lost : [...lost, 'no temperature'];
}

const speaking = providers.filter(({ isClosed, local }) => !isClosed && !local);

describe.each(callers)('from %s', (protocol, fields) => {
  const served = speaking.filter((provider) =>
    findTranslationRoute(provider, { protocol, model: 'my-model' }),
  );
  it.each(served.map((provider) => [provider.id, provider] as const))(
    'a channel of %s leaves out no sampling of unknown models that it sends for any known one',
    (_id, provider) => {
      const known = provider.models.filter((model) => findTranslationRoute(provider, { protocol, model }));
      const all = known.map((model) => dropped(provider, protocol, fields, model));
      for (const name of unknown) {
        for (const what of dropped(provider, protocol, fields, name)) {
          expect(all.length > 0 && all.every((each) => each.includes(what)), `${what} of ${name}`).toBe(true);
        }
      }
    },
  );
});

describe('a server that is not Claude’s, behind Messages', () => {
  const sent = (fields: JsonObject, model = 'my-model') => {
    const provider = providers.find(({ type }) => type === 14)!;
    const body = { messages, max_tokens: 9_000, ...fields };
    const { body: bytes, dropped: left } = bridge(
      provider,
      buildChannel(),
      asked('openai-chat', body, model),
      model,
      relayOptions,
    );
    return { body: JSON.parse(bytes.toString()) as JsonObject, left };
  };

  it('is asked for the sampling and the thinking that the caller wants, in the form that every server reads', () => {
    const { body, left } = sent({ temperature: 1.5, top_p: 0.9, reasoning_effort: 'low' });
    expect(left).toEqual([]);
    expect(body).toMatchObject({
      temperature: 1.5,
      top_p: 0.9,
      thinking: { type: 'enabled', budget_tokens: expect.any(Number) as number },
    });
    expect(body).not.toHaveProperty('output_config');
    expect(sent({ reasoning_effort: 'none' }).body.thinking).toEqual({ type: 'disabled' });
  });

  it('thinks beside a forced tool', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const { body, left } = sent({ tools, tool_choice: 'required', reasoning_effort: 'high' });
    expect(left).toEqual([]);
    expect(body).toMatchObject({ thinking: { type: 'enabled' }, tool_choice: { type: 'any' } });
  });

  it('Claude’s own rules hold for Claude, wherever it stands', () => {
    for (const model of ['claude-opus-5', 'anthropic/claude-sonnet-5', 'claude-next']) {
      expect(sent({ temperature: 0 }, model).left).toEqual(['temperature']);
      expect(sent({ reasoning_effort: 'low' }, model).body.thinking).toEqual({ type: 'adaptive' });
    }
  });
});

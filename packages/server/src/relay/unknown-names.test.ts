import { bareName, claudeVersion, isAdaptiveClaude, isLevelGemini, suffixFamilies } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { bridge } from './bridge.ts';
import { refusesFunctions } from './families/openai/index.ts';
import { providers } from './registry.ts';
import { type ProtocolId, type Provider, RelayError } from './types/index.ts';

// Private servers may have any vendor's protocol. Fields that a generation of a vendor's models refuses are left out
// only for names of that vendor; a name that matches no rule is never treated as the newest model.

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

/** Sampling fields that a call leaves out; undefined if the channel does not make the call. */
function dropped(provider: Provider, protocol: ProtocolId, fields: JsonObject, model: string) {
  const channel = buildChannel({ key: 'app|secret|us-east-1' });
  try {
    const request = asked(protocol, fields, model);
    const { dropped: all, body } = bridge(provider, channel, request, model, relayOptions);
    const lost = all.filter((what) => /temperature|top_?[pk]/i.test(what));
    return /"temperature": ?0\b/i.test(body.toString()) ? lost : [...lost, 'no temperature'];
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/** The oldest models of the vendors: fields that are not sent to them do not exist in their protocol. */
const oldest = ['gpt-3.5-turbo', 'claude-3-haiku-20240307', 'gemini-1.5-flash', 'amazon.titan-text'];

describe.each(callers)('from %s', (protocol, fields) => {
  const served = providers.filter(
    (provider) => !provider.isClosed && dropped(provider, protocol, fields, oldest[0]!) !== undefined,
  );
  it('most channels are called', () => {
    expect(served.length).toBeGreaterThan(30);
  });

  it.each(served.map((provider) => [provider.id, provider] as const))(
    'a channel of %s sends unknown models all sampling that it sends to the oldest ones',
    (_id, provider) => {
      const all = oldest.flatMap((model) => [dropped(provider, protocol, fields, model) ?? []]);
      for (const name of unknown) {
        const left = dropped(provider, protocol, fields, name) ?? [];
        // Converse has no top_k: each family of models has its own field for it, or none.
        const lost = provider.id === 'bedrock' ? left.filter((what) => !/^top_?k$/i.test(what)) : left;
        expect(
          lost.filter((what) => !all.every((each) => each.includes(what))),
          name,
        ).toEqual([]);
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

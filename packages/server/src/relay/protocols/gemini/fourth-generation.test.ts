import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { chat, claude, translated } from '../../../testing/protocols/translate-request.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { bridge } from '../../bridge.ts';
import { providerOf } from '../../registry.ts';
import { gemini } from './index.ts';

// Models of the fourth generation always think, take a level for it, and refuse fields that earlier models accepted.

const hi = [{ role: 'user', content: 'hi' }];
const configOf = (body: JsonObject): JsonObject | undefined =>
  body.generationConfig as JsonObject | undefined;
const shown = { includeThoughts: true };

test.each([
  ['none', { thinkingLevel: 'low' }],
  ['minimal', { thinkingLevel: 'low', ...shown }],
  ['medium', { thinkingLevel: 'medium', ...shown }],
  ['max', { thinkingLevel: 'high', ...shown }],
])('the effort %s is a level', (reasoning_effort, thinkingConfig) => {
  const asked = { model: 'm', messages: hi, reasoning_effort };
  const { body } = translated(chat, gemini.codec!, asked, 'gemini-4-neon');
  expect(configOf(body)).toEqual({ thinkingConfig });
});

test('a budget is a level, and stays a budget for older models', () => {
  const thinking = { type: 'enabled', budget_tokens: 4_000 };
  const sent = (model: string) =>
    configOf(
      translated(claude, gemini.codec!, { model: 'm', max_tokens: 9_000, messages: hi, thinking }, model)
        .body,
    );
  expect(sent('gemini-4-argon')?.thinkingConfig).toEqual({ thinkingLevel: 'medium', ...shown });
  expect(sent('gemini-2.5-pro')?.thinkingConfig).toEqual({ thinkingBudget: 4_000, ...shown });
});

test('penalties are reported as left out, and kept for older models', () => {
  const asked = { model: 'm', messages: hi, frequency_penalty: 0.5, presence_penalty: 0 };
  const newer = translated(chat, gemini.codec!, asked, 'gemini-4-neon');
  expect([newer.body.generationConfig, newer.dropped]).toEqual([undefined, ['frequencyPenalty']]);
  const older = translated(chat, gemini.codec!, asked, 'gemini-3-pro-preview');
  expect(configOf(older.body)).toEqual({ frequencyPenalty: 0.5, presencePenalty: 0 });
});

test.each([
  ['gemini-4-neon-nothinking', { thinkingLevel: 'low' }],
  ['gemini-4-neon-thinking-20000', { thinkingLevel: 'high', ...shown }],
  ['gemini-4-neon-low', { thinkingLevel: 'low', ...shown }],
])('%s sets a level', (model, thinkingConfig) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const request = buildRequest('gemini', { model, contents }, { model, stream: false });
  const settings = { ...relayOptions.settings, 'gemini.thinking_adapter_enabled': true };
  const call = bridge(providerOf(24)!, buildChannel({ type: 24 }), request, model, {
    ...relayOptions,
    settings,
  });
  expect(configOf(JSON.parse(call.body.toString()) as JsonObject)).toEqual({ thinkingConfig });
});

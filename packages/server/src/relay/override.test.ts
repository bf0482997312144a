import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { bridge } from './bridge.ts';
import { applyOverride } from './override.ts';
import { providerOf } from './registry.ts';
import { operationFault } from './types/index.ts';

// Operations of `param_override`, with the behaviour of the original.

const context = { model: 'up', requestedModel: 'asked', path: '/v1/chat/completions' };
const body = (): JsonObject => ({
  model: 'up',
  temperature: 0.7,
  user: ' Ann ',
  stop: ['a'],
  metadata: { team: 'x', 'a.b': 1 },
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi there' },
  ],
});
const after = (...operations: JsonObject[]): JsonObject => {
  const draft = body();
  applyOverride(draft, { operations }, context);
  return draft;
};
const last = (draft: JsonObject) => (draft.messages as JsonObject[]).at(-1);

describe('an operation', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ mode: 'set', path: 'temperature', value: 0.4 }, { temperature: 0.4 }],
    [{ mode: 'set', path: 'temperature', value: 0.4, keep_origin: true }, {}],
    [{ mode: 'set', path: 'top_p', value: 0.4, keep_origin: true }, { top_p: 0.4 }],
    [{ mode: 'set', path: 'a.b.0.c', value: 1 }, { a: { b: [{ c: 1 }] } }],
    [{ mode: 'set', path: 'metadata.a\\.b', value: 2 }, { metadata: { team: 'x', 'a.b': 2 } }],
    [{ mode: 'set', path: 'stop.1', value: 'b' }, { stop: ['a', 'b'] }],
    [{ mode: 'set', path: 'stop.999999', value: 'b' }, {}],
    [{ mode: 'set', path: 'user.name', value: 'b' }, {}],
    [{ mode: 'delete', path: 'metadata.team' }, { metadata: { 'a.b': 1 } }],
    [{ mode: 'delete', path: 'stop.-1' }, { stop: [] }],
    [{ mode: 'delete', path: 'nothing.here' }, {}],
    [
      { mode: 'copy', from: 'user', to: 'metadata.user' },
      { metadata: { team: 'x', 'a.b': 1, user: ' Ann ' } },
    ],
    [{ mode: 'copy', from: 'nothing', to: 'metadata' }, {}],
    [{ mode: 'append', path: 'stop', value: 'b' }, { stop: ['a', 'b'] }],
    [{ mode: 'append', path: 'stop', value: ['b', 'c'] }, { stop: ['a', 'b', 'c'] }],
    [{ mode: 'prepend', path: 'stop', value: 'b' }, { stop: ['b', 'a'] }],
    [{ mode: 'append', path: 'user', value: '!' }, { user: ' Ann !' }],
    [
      { mode: 'append', path: 'metadata', value: { team: 'y', z: 1 } },
      { metadata: { team: 'y', 'a.b': 1, z: 1 } },
    ],
    [
      { mode: 'append', path: 'metadata', value: { team: 'y', z: 1 }, keep_origin: true },
      { metadata: { team: 'x', 'a.b': 1, z: 1 } },
    ],
    [{ mode: 'append', path: 'temperature', value: 1 }, {}],
    [{ mode: 'trim_space', path: 'user' }, { user: 'Ann' }],
    [{ mode: 'trim_prefix', path: 'user', value: ' A' }, { user: 'nn ' }],
    [{ mode: 'trim_suffix', path: 'user', value: 'n ' }, { user: ' An' }],
    [{ mode: 'trim_suffix', path: 'user', value: '' }, { user: ' Ann ' }],
    [{ mode: 'ensure_prefix', path: 'model', value: 'vendor/' }, { model: 'vendor/up' }],
    [{ mode: 'ensure_suffix', path: 'model', value: 'up' }, {}],
    [{ mode: 'to_upper', path: 'user' }, { user: ' ANN ' }],
    [{ mode: 'to_lower', path: 'user' }, { user: ' ann ' }],
    [{ mode: 'replace', path: 'user', from: 'n', to: '$&' }, { user: ' A$&$& ' }],
    [{ mode: 'to_lower', path: 'temperature' }, {}],
  ])('%j', (operation, expected) => {
    expect(after(operation)).toEqual({ ...body(), ...expected });
    expect(operationFault({ operations: [operation] })).toBeUndefined();
  });

  it('moves a value, and reaches into the last message', () => {
    expect(after({ mode: 'move', from: 'user', to: 'safety_identifier' })).toMatchObject({
      safety_identifier: ' Ann ',
    });
    expect(after({ mode: 'move', from: 'user', to: 'x' })).not.toHaveProperty('user');
    expect(last(after({ mode: 'append', path: 'messages.-1.content', value: '!' }))).toEqual({
      role: 'user',
      content: 'Hi there!',
    });
  });

  it('follows the one before it, and fields that replace come first', () => {
    const draft = body();
    const operations = [
      { mode: 'copy', from: 'top_p', to: 'y' },
      { mode: 'set', path: 'y', value: 3, conditions: [{ path: 'y', mode: 'full', value: 2 }] },
    ];
    applyOverride(draft, { top_p: 2, operations }, context);
    expect(draft).toMatchObject({ top_p: 2, y: 3 });
    expect(draft).not.toHaveProperty('operations');
  });
});

describe('a condition', () => {
  const runs = (conditions: JsonObject[], logic?: string): boolean =>
    'met' in after({ mode: 'set', path: 'met', value: 1, conditions, ...(logic !== undefined && { logic }) });

  it.each<[JsonObject, boolean]>([
    [{ path: 'model', mode: 'full', value: 'up' }, true],
    [{ path: 'model', mode: 'full', value: 'up', invert: true }, false],
    [{ path: 'original_model', mode: 'prefix', value: 'ask' }, true],
    [{ path: 'upstream_model', mode: 'suffix', value: 'p' }, true],
    [{ path: 'request_path', mode: 'contains', value: 'chat' }, true],
    [{ path: 'temperature', mode: 'gt', value: 0.7 }, false],
    [{ path: 'temperature', mode: 'gte', value: 0.7 }, true],
    [{ path: 'temperature', mode: 'lt', value: '1' }, false],
    [{ path: 'temperature', mode: 'lte', value: 1 }, true],
    [{ path: 'max_tokens', mode: 'gt', value: 1 }, false],
    [{ path: 'max_tokens', mode: 'gt', value: 1, pass_missing_key: true }, true],
    [{ path: 'constructor', mode: 'full', value: 1 }, false],
  ])('%j: %s', (condition, expected) => {
    expect(runs([condition])).toBe(expected);
  });

  it('is one of several, or all of them with AND', () => {
    const met = { path: 'model', mode: 'full', value: 'up' };
    const unmet = { path: 'model', mode: 'full', value: 'down' };
    expect([runs([]), runs([unmet, met]), runs([unmet, met], 'AND'), runs([met, met], 'and')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});

it.each([
  [{ mode: 'regex_replace', path: 'a' }, '.mode "regex_replace"'],
  [{ mode: 'set' }, '.path'],
  [{ mode: 'set', path: 'messages.#.content' }, '.path'],
  [{ mode: 'set', path: '__proto__.x' }, '.path'],
  [{ mode: 'set', path: 'a..b' }, '.path'],
  [{ mode: 'move', from: 'a' }, '.to'],
  [{ mode: 'copy', from: 'a', to: 'generationConfig.candidateCount' }, '.to'],
  [{ mode: 'replace', path: 'a' }, '.from'],
  [{ mode: 'set', path: 'a', description: 'x' }, '.description'],
  [{ mode: 'set', path: 'a', keep_origin: 'yes' }, '.keep_origin'],
  [{ mode: 'set', path: 'a', logic: 'XOR' }, '.logic'],
  [{ mode: 'set', path: 'a', conditions: [{ path: 'b', mode: 'regex' }] }, '.conditions.0.mode "regex"'],
  [{ mode: 'set', path: 'a', conditions: {} }, '.conditions'],
] as [JsonObject, string][])('%j is refused when it is saved', (operation, fault) => {
  expect(operationFault({ operations: [operation] })).toBe(`operations.0${fault}`);
});

it('changes no prototype and not the caller’s request, which other channels get', () => {
  const asked = body();
  const draft = { ...asked };
  const deep = [
    { mode: 'set', path: '__proto__.polluted', value: 1 },
    { mode: 'set', path: 'metadata.__proto__', value: { polluted: 1 } },
    { mode: 'set', path: 'messages.0.content', value: 'x' },
    { mode: 'delete', path: 'messages.1' },
    { mode: 'append', path: 'stop', value: 'b' },
  ];
  applyOverride(draft, { operations: deep }, context);
  expect(draft).toMatchObject({ messages: [{ role: 'system', content: 'x' }], stop: ['a', 'b'] });
  expect(asked).toEqual(body());
  expect(({} as JsonObject).polluted).toBeUndefined();
  expect((draft.metadata as JsonObject).polluted).toBeUndefined();
});

describe('the request of a channel with operations', () => {
  const paramOverride = {
    operations: [
      { mode: 'set', path: 'temperature', value: 0.4 },
      { mode: 'set', path: 'metadata.site', value: 'one' },
      { mode: 'delete', path: 'user' },
    ],
  };
  const asked =
    '{ "model":"m", "seed":12345678901234567890, "user":"u","messages":[{"role":"user","content":"\\u0041"}] }';
  const sent = (type: number) =>
    bridge(
      providerOf(type)!,
      buildChannel({ type, paramOverride }),
      buildRequest('openai-chat', asked),
      'm',
      relayOptions,
    ).body.toString();

  it('is changed in place where its protocol is the channel’s', () => {
    const text = sent(1);
    expect(JSON.parse(text)).toMatchObject({ temperature: 0.4, metadata: { site: 'one' } });
    expect(text).not.toContain('"user":"u"');
    // Fields that no operation touches keep their bytes.
    for (const kept of ['"seed":12345678901234567890', '{"role":"user","content":"\\u0041"}'])
      expect(text).toContain(kept);
  });

  it('is changed as well where it is translated', () => {
    expect(JSON.parse(sent(14))).toMatchObject({ temperature: 0.4, metadata: { site: 'one' } });
  });
});

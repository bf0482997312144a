import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact } from '../../lib/exact-numbers.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  buildChannel,
  buildRequest,
  feed,
  relayOptions,
  writerOptions,
} from '../../testing/protocols/build-relay.ts';
import { type CallerId, drawRequest } from '../../testing/strict/histories.ts';
import { readStrictChat } from '../../testing/strict/read-chat.ts';
import { readStrictGemini } from '../../testing/strict/read-gemini.ts';
import { readStrictMessages } from '../../testing/strict/read-messages.ts';
import { readStrictResponses } from '../../testing/strict/read-responses.ts';
import type { Reading } from '../../testing/strict/reading.ts';
import { bridge } from '../bridge.ts';
import { callerProtocol } from '../protocols.ts';
import { providerOf } from '../registry.ts';
import type { ChatEvent } from '../types/index.ts';

// Every valid conversation of a caller becomes a valid request for every vendor, with the same content.

const readers: Record<CallerId, (body: JsonObject, model: string) => Reading> = {
  'openai-chat': readStrictChat,
  'anthropic-messages': readStrictMessages,
  'openai-responses': readStrictResponses,
  gemini: readStrictGemini,
};

/** Vendors by their only protocol. */
const vendors: readonly (readonly [protocol: CallerId, type: number, model: string])[] = [
  ['openai-chat', 40, 'gpt-4o'],
  ['anthropic-messages', 14, 'claude-sonnet-4-5'],
  ['openai-responses', 57, 'gpt-5.5'],
  ['gemini', 24, 'gemini-2.5-pro'],
  ['gemini', 24, 'gemini-3-pro'],
];

function send(type: number, caller: CallerId, text: string, model: string): JsonObject {
  const fromPath = caller === 'gemini' ? { model, stream: false } : {};
  const request = buildRequest(caller, text, fromPath);
  const call = bridge(providerOf(type)!, buildChannel({ type, key }), request, model, relayOptions);
  return parseExact(call.body.toString()) as JsonObject;
}

/** Key of a Codex account; other vendors accept any key. */
const key = '{"access_token":"a","refresh_token":"r","account_id":"i"}';

const wordsIn = (texts: readonly string[]): string[] => texts.flatMap((text) => text.match(/w\d+x/g) ?? []);

/** Content of a request, independent of its protocol. */
const essence = ({ said, calls, files, tools }: Reading): unknown => ({
  system: wordsIn(said.system),
  user: wordsIn(said.user),
  assistant: wordsIn(said.assistant),
  calls: calls.map(({ name, input, words }) => ({ name, numbers: numberIn(input), words: wordsIn(words) })),
  files: files.toSorted(),
  tools: tools.toSorted(),
});

/** The text of the only number in the arguments, and their word. */
const numberIn = (input: string): string[] => /a\\?":([^,]+),\\?"w\\?":\\?"(w\d+x)/.exec(input)!.slice(1);

describe.each(Object.keys(readers) as CallerId[])('a request in %s', (caller) => {
  test.each(vendors)(
    'is valid for a vendor of %s (%i, %s), and nothing of it is lost',
    (vendor, type, model) => {
      const asked = vendor === caller ? model : caller === 'gemini' ? 'gemini-3-pro' : 'm';
      fc.assert(
        fc.property(fc.gen(), (draw) => {
          const text = drawRequest(draw, caller, asked);
          const before = readers[caller](parseExact(text) as JsonObject, asked);
          // Callers send thoughts of other vendors, which these vendors do not receive.
          expect(before.faults.filter((fault) => !fault.startsWith('a foreign'))).toEqual([]);
          const after = readers[vendor](send(type, caller, text, model), model);
          expect(after.faults).toEqual([]);
          expect(essence(after)).toEqual(essence(before));
        }),
        { numRuns: 60 },
      );
    },
  );
});

describe('a tool', () => {
  /** Any keyword, with values that its own vocabulary allows. */
  const schemaOf = fc.memo((depth): fc.Arbitrary<JsonObject> => {
    const inner =
      depth > 1 ? schemaOf() : fc.constantFrom<JsonObject>({}, { type: 'string' }, { $ref: '#/$defs/one' });
    const name = fc.constantFrom('a', 'b', 'x.y', 'c-d');
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two', '#/definitions/three'),
      type: fc.oneof(
        fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null'),
        fc.constantFrom(['string', 'null'], ['integer', 'string'], ['array', 'null'], ['null']),
      ),
      description: fc.constant('what it is'),
      title: fc.constant('It'),
      default: fc.constantFrom('x', 1, null),
      examples: fc.constant([1]),
      deprecated: fc.boolean(),
      $comment: fc.constant('x'),
      'x-private': fc.constant({ type: 'string' }),
      enum: fc.constantFrom(['a', 'b'], ['a', null], [1, 2], ['a', 1], [true], ['']),
      const: fc.constantFrom('a', 5, true, null),
      format: fc.constantFrom('date-time', 'uri', 'uint32', 'int64', 'double'),
      pattern: fc.constant('^a'),
      minLength: fc.constant(1),
      minimum: fc.constant(0),
      exclusiveMinimum: fc.constant(0),
      multipleOf: fc.constant(5),
      uniqueItems: fc.boolean(),
      minItems: fc.constant(1),
      items: fc.oneof(inner, fc.boolean(), fc.array(inner, { maxLength: 2 })),
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
      contains: inner,
      properties: fc.dictionary(name, fc.oneof(inner, fc.boolean()), { maxKeys: 3 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), inner),
      patternProperties: fc.dictionary(fc.constant('^x'), inner, { maxKeys: 1 }),
      propertyNames: inner,
      minProperties: fc.constant(1),
      unevaluatedProperties: fc.boolean(),
      dependentRequired: fc.constant({ a: ['b'] }),
      anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      not: inner,
      if: inner,
      else: inner,
    };
    return fc
      .subarray(Object.keys(keywords), { maxLength: 4 })
      .chain((names) => fc.tuple(...names.map((each) => keywords[each]!.map((value) => [each, value]))))
      .map((members) => Object.fromEntries(members) as JsonObject);
  });
  const schema = schemaOf(3);
  const parameters = fc.record({
    $defs: fc.record({ one: schema, two: schema }),
    definitions: fc.record({ three: schema }),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c-d'), schema, { minKeys: 1, maxKeys: 3 }),
    beside: schema,
  });

  test.each(vendors)('with any JSON Schema is valid for a vendor of %s (%i, %s)', (vendor, type, model) => {
    const caller = vendor === 'openai-chat' ? 'openai-responses' : 'openai-chat';
    fc.assert(
      fc.property(parameters, ({ beside, properties, ...definitions }) => {
        const { $ref: _, ...others } = beside;
        const tool = { name: 'f', parameters: { ...others, ...definitions, type: 'object', properties } };
        const body =
          caller === 'openai-chat'
            ? {
                model: 'm',
                messages: [{ role: 'user', content: 'x' }],
                tools: [{ type: 'function', function: tool }],
              }
            : { model: 'm', input: 'x', tools: [{ type: 'function', ...tool }] };
        const { faults, tools } = readers[vendor](send(type, caller, JSON.stringify(body), model), model);
        expect(faults).toEqual([]);
        expect(tools).toEqual(['f']);
      }),
      { numRuns: 60 },
    );
  });
});

/** A request of each caller with a schema for a function's arguments and one for the answer, as text. */
const schemaRequests: Record<CallerId, (schema: string) => string> = {
  'openai-chat': (schema) =>
    `{"model":"m","messages":[{"role":"user","content":"x"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],
      "response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`,
  'openai-responses': (schema) =>
    `{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":${schema}}],
      "text":{"format":{"type":"json_schema","name":"n","schema":${schema}}}}`,
  'anthropic-messages': (schema) =>
    `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],
      "tools":[{"name":"f","input_schema":${schema}}],
      "output_config":{"format":{"type":"json_schema","schema":${schema}}}}`,
  gemini: (schema) =>
    `{"contents":[{"role":"user","parts":[{"text":"x"}]}],
      "tools":[{"functionDeclarations":[{"name":"f","parameters":${schema}}]}],
      "generationConfig":{"responseMimeType":"application/json","responseSchema":${schema}}}`,
};

describe.each(Object.keys(schemaRequests) as CallerId[])('a schema in %s', (caller) => {
  test.each(vendors)('keeps the digits of 64 bits for a vendor of %s (%i, %s)', (_vendor, type, model) => {
    const schema = `{"type":"object","properties":{
      "a":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},
      "b":{"type":"integer","enum":[9007199254740993,18446744073709551615]}}}`;
    const fromPath = caller === 'gemini' ? { model, stream: false } : {};
    const request = buildRequest(caller, schemaRequests[caller](schema), fromPath);
    const { body } = bridge(providerOf(type)!, buildChannel({ type, key }), request, model, relayOptions);
    const found = body.toString().match(/-?\d{16,}/g) ?? [];
    expect(new Set(found)).toEqual(
      new Set(['-9223372036854775808', '9223372036854775807', '9007199254740993', '18446744073709551615']),
    );
  });
});

test.each(vendors)(
  'a function of any name is called by it, before a vendor of %s (%i, %s)',
  (vendor, type, model) => {
    for (const name of ['a.b:c', '1st', 'x'.repeat(64), '-', 'a b']) {
      const caller = vendor === 'gemini' ? 'openai-chat' : 'gemini';
      const asked = { name, parameters: { type: 'object', properties: { a: { type: 'string' } } } };
      const body =
        caller === 'gemini'
          ? {
              contents: [
                { role: 'user', parts: [{ text: 'x' }] },
                { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
                { role: 'user', parts: [{ functionResponse: { name, response: { output: 'r' } } }] },
              ],
              tools: [{ functionDeclarations: [asked] }],
            }
          : {
              model: 'm',
              messages: [
                { role: 'user', content: 'x' },
                {
                  role: 'assistant',
                  content: null,
                  tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }],
                },
                { role: 'tool', tool_call_id: 'c1', content: 'r' },
              ],
              tools: [{ type: 'function', function: asked }],
              tool_choice: { type: 'function', function: { name } },
            };
      const fromPath = caller === 'gemini' ? { model: 'm', stream: false } : {};
      const call = bridge(
        providerOf(type)!,
        buildChannel({ type, key }),
        buildRequest(caller, body, fromPath),
        model,
        relayOptions,
      );
      const { faults, tools, calls } = readers[vendor](JSON.parse(call.body.toString()) as JsonObject, model);
      expect(faults).toEqual([]);
      expect(calls.map((each) => each.name)).toEqual(tools);
      const events: ChatEvent[] = [
        { type: 'start', id: 'x', model, createdSeconds: 1 },
        { type: 'tool-input-start', choice: 0, block: 0, id: 'c2', name: tools[0]! },
        { type: 'tool-input-delta', choice: 0, block: 0, text: '{}' },
        { type: 'tool-input-end', choice: 0, block: 0 },
        { type: 'finish', choice: 0, reason: { unified: 'tool-calls', raw: 'tool_calls' } },
      ];
      const answer = callerProtocol(vendor)!.codec!.writeAnswer(events, writerOptions());
      const { passed, end } = feed(call.openPipe(200, 'application/json'), [
        Buffer.from(JSON.stringify(answer)),
      ]);
      expect(passed.toString() + end.tail!.toString()).toContain(`"name":${JSON.stringify(name)}`);
    }
  },
);

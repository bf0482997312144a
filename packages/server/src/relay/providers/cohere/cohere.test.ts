import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { ProtocolId } from '../../types/index.ts';
import { providerOf } from '../../registry.ts';

const cohere = providerOf(34)!;

function made(protocol: ProtocolId, body: JsonObject, safety = 'NONE') {
  const channel = buildChannel({ type: 34, baseUrl: cohere.baseUrl });
  const options = { ...relayOptions, settings: { COHERE_SAFETY_SETTING: safety } };
  const call = bridge(cohere, channel, buildRequest(protocol, body), 'm', options);
  return {
    url: call.url,
    body: JSON.parse(call.body.toString()) as JsonObject,
    /** The caller's view of an answer. */
    answer(upstream: JsonObject) {
      const { end } = feed(call.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(upstream))]);
      return { end, body: JSON.parse(String(end.tail)) as JsonObject };
    },
  };
}

const chat = (more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };

describe('chats with Cohere', () => {
  test('use version 2, for every protocol of the caller', () => {
    expect(made('openai-chat', chat())).toMatchObject({
      url: 'https://api.cohere.ai/v2/chat',
      body: { model: 'm', max_tokens: 4_000 },
    });
    const others: [ProtocolId, JsonObject][] = [
      ['anthropic-messages', { ...chat(), max_tokens: 9 }],
      ['openai-responses', { model: 'm', input: 'hi' }],
      ['gemini', { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
    ];
    for (const [protocol, body] of others) {
      expect(made(protocol, body).body.messages).toEqual([{ role: 'user', content: 'hi' }]);
    }
  });

  test('have the site’s safety mode, unless Cohere refuses it or the caller set one', () => {
    expect(made('openai-chat', chat()).body.safety_mode).toBeUndefined();
    expect(made('openai-chat', chat(), 'STRICT').body.safety_mode).toBe('STRICT');
    expect(made('openai-chat', chat({ safety_mode: 'OFF' }), 'STRICT').body.safety_mode).toBe('OFF');
    expect(made('openai-chat', chat({ tools: [tool] }), 'STRICT').body.safety_mode).toBeUndefined();
    const documents = [{ data: { text: 'x' } }];
    expect(made('openai-chat', chat({ documents }), 'STRICT').body.safety_mode).toBeUndefined();
  });
});

describe('embeddings of Cohere', () => {
  const upstream = {
    id: 'e1',
    embeddings: {
      float: [
        [0.5, -0.25],
        [1, 2],
      ],
    },
    meta: { billed_units: { input_tokens: 4, image_tokens: 0 } },
  };

  test('are sent and answered in OpenAI’s shape', () => {
    const call = made('openai-embeddings', {
      model: 'm',
      input: ['a', 'b'],
      dimensions: 256,
      input_type: 'search_query',
    });
    expect([call.url, call.body]).toEqual([
      'https://api.cohere.ai/v2/embed',
      {
        model: 'm',
        texts: ['a', 'b'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 256,
      },
    ]);
    const { body, end } = call.answer(upstream);
    expect(body).toEqual({
      object: 'list',
      model: 'm',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -0.25] },
        { object: 'embedding', index: 1, embedding: [1, 2] },
      ],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    });
    expect(end.usage?.input).toBe(4);
    const packed = made('openai-embeddings', { model: 'm', input: 'a', encoding_format: 'base64' });
    expect(packed.body.texts).toEqual(['a']);
    const [first] = packed.answer(upstream).body.data as JsonObject[];
    expect(Buffer.from(textOf(first!.embedding), 'base64').readFloatLE(4)).toBe(-0.25);
  });

  test('are refused for tokens, which Cohere cannot read', () => {
    expect(() => made('openai-embeddings', { model: 'm', input: [[1, 2]] })).toThrow(
      expect.objectContaining({ status: 400, code: 'cannot_translate' }),
    );
  });

  test('answer callers of Gemini too', () => {
    const call = made('gemini-embeddings', { model: 'm', content: { parts: [{ text: 'a' }] } });
    expect(call.body).toMatchObject({ texts: ['a'], input_type: 'search_document' });
    expect(call.answer(upstream).body).toMatchObject({ embedding: { values: [0.5, -0.25] } });
  });
});

describe('reranking by Cohere', () => {
  const documents = ['Carson City', { text: 'Washington' }];
  const request = { model: 'm', query: 'capital', documents, top_n: 1, max_chunks_per_doc: 3 };
  const upstream = {
    id: 'r1',
    results: [{ index: 1, relevance_score: 0.9 }],
    meta: { billed_units: { search_units: 1 } },
  };

  test('is sent texts alone, in the format of version 2', () => {
    expect(made('cohere-rerank', { ...request, return_documents: false, overlap_tokens: 9 })).toMatchObject({
      url: 'https://api.cohere.ai/v2/rerank',
      body: { model: 'm', query: 'capital', documents: ['Carson City', 'Washington'], top_n: 1 },
    });
    expect(Object.keys(made('cohere-rerank', { ...request, return_documents: false }).body)).not.toContain(
      'return_documents',
    );
    expect(() =>
      made('cohere-rerank', { ...request, documents: [{ image: 'https://a.test/a.png' }] }),
    ).toThrow(expect.objectContaining({ code: 'cannot_translate' }));
  });

  test('returns the documents unless the caller wants none', () => {
    const shown = made('cohere-rerank', request).answer(upstream).body;
    expect(shown).toMatchObject({ id: 'r1', meta: upstream.meta });
    expect(shown.results).toEqual([{ index: 1, relevance_score: 0.9, document: { text: 'Washington' } }]);
    const bare = made('cohere-rerank', { ...request, return_documents: false }).answer(upstream).body;
    expect(bare.results).toEqual(upstream.results);
  });
});

test('its models are read from its own list', () => {
  const body = {
    models: [{ name: 'command-a-03-2025' }, { name: 'rerank-v4.0-fast' }, {}],
    next_page_token: '',
  };
  expect(cohere.fetchModels!.read(body)).toEqual(['command-a-03-2025', 'rerank-v4.0-fast']);
  expect(cohere.fetchModels!.request(buildChannel({ baseUrl: cohere.baseUrl })).url).toBe(
    'https://api.cohere.ai/v1/models?page_size=1000',
  );
});

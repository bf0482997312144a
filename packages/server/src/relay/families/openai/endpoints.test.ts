import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { providerOf } from '../../registry.ts';
import type { ProtocolId } from '../../types/index.ts';
import { openaiEndpoints } from './request.ts';

const bodies: Partial<Record<ProtocolId, object>> = {
  'openai-completions': { prompt: 'hi' },
  'openai-embeddings': { input: 'hi' },
  'openai-moderations': { input: 'hi' },
  'openai-images': { prompt: 'hi' },
  'openai-audio': { input: 'hi' },
  'cohere-rerank': { query: 'hi', documents: ['hi'] },
};

describe('the endpoints of an OpenAI-compatible vendor', () => {
  it('are those that it lists, and no others', () => {
    expect(Object.keys(openaiEndpoints(['openai-chat']))).toEqual(['openai-chat']);
    expect(Object.keys(openaiEndpoints(['openai-completions', 'cohere-rerank']))).toEqual([
      'openai-completions',
      'cohere-rerank',
    ]);
  });

  it('are adapted each by its own change', () => {
    const adapt = () => undefined;
    const endpoints = openaiEndpoints(['openai-chat', 'openai-completions', 'openai-images'], {
      adapt: { 'openai-chat': adapt },
    });
    expect(endpoints['openai-chat']).toHaveProperty('adapt', adapt);
    expect(endpoints['openai-completions']).not.toHaveProperty('adapt');
    expect(endpoints['openai-images']).not.toHaveProperty('adapt');
  });

  it("are at OpenAI's paths, or where the provider puts them", () => {
    const endpoints = openaiEndpoints(['openai-chat', 'openai-embeddings'], {
      paths: { 'openai-chat': '/own/chat' },
    });
    const address = { model: 'm', path: '/', query: '', stream: false, options: relayOptions };
    const url = (protocol: ProtocolId) =>
      endpoints[protocol]?.url(buildChannel({ baseUrl: 'https://a.test' }), address);
    expect([url('openai-chat'), url('openai-embeddings')]).toEqual([
      'https://a.test/own/chat',
      'https://a.test/v1/embeddings',
    ]);
  });
});

/** Vendors that copy OpenAI's chats, and the requests that they do not support. */
const notOffered: [type: number, ...ProtocolId[]][] = [
  [25, 'openai-completions', 'openai-embeddings', 'openai-moderations', 'openai-images', 'openai-audio'],
  [31, 'openai-completions', 'openai-embeddings', 'openai-moderations', 'openai-images', 'openai-audio'],
  [43, 'openai-embeddings', 'openai-moderations', 'openai-images', 'openai-audio', 'cohere-rerank'],
  [42, 'openai-completions', 'openai-images', 'cohere-rerank'],
  [48, 'openai-moderations', 'openai-audio', 'cohere-rerank'],
  [1, 'cohere-rerank'],
];

test.each(notOffered)(
  'that type %i does not list are refused before anything is sent',
  (type, ...protocols) => {
    const provider = providerOf(type)!;
    const channel = buildChannel({ type, baseUrl: provider.baseUrl });
    for (const protocol of protocols) {
      const request = buildRequest(protocol, { model: 'm', ...bodies[protocol] });
      const call = () => bridge(provider, channel, request, 'm', relayOptions);
      expect(call, `${provider.id} in ${protocol}`).toThrow(
        expect.objectContaining({ code: 'invalid_api_type', message: expect.stringContaining(protocol) }),
      );
    }
  },
);

test('may include reranking, for a compatible server at another address', () => {
  const request = buildRequest('cohere-rerank', { model: 'm', query: 'hi', documents: ['hi'] });
  const channel = buildChannel({ baseUrl: 'https://own.test' });
  expect(bridge(providerOf(1)!, channel, request, 'm', relayOptions).url).toBe('https://own.test/v1/rerank');
});

test('of Mistral transcribe, and neither speak nor translate', () => {
  const channel = buildChannel({ type: 42, baseUrl: 'https://api.mistral.ai' });
  for (const path of ['/v1/audio/speech', '/v1/audio/translations']) {
    const request = { ...buildRequest('openai-audio', { model: 'm', input: 'hi' }), path };
    expect(() => bridge(providerOf(42)!, channel, request, 'm', relayOptions)).toThrow(/Mistral AI/);
  }
});

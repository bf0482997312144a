/** @module-tag deep */
import { describe, expect, it } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { longRequests } from '../testing/fuzz/long-requests.ts';
import { bridge } from './bridge.ts';
import { callerProtocol } from './protocols.ts';
import { providerOf } from './registry.ts';
import type { ProtocolId } from './types/index.ts';

// A request may have hundreds of thousands of pieces. No code visits all pieces once per piece: that would block
// every call of the process for minutes, and these tests would time out.

const count = 200_000;
const requests = Object.entries(longRequests).flatMap(([protocol, shapes]) =>
  Object.keys(shapes).map((shape) => [protocol as ProtocolId, shape] as const),
);

describe('a request of very many parts', () => {
  it.each(requests)('of %s is read: %s', (protocol, shape) => {
    const read = callerProtocol(protocol)!.codec!.readRequest!;
    expect(read(longRequests[protocol]![shape]!(count)).model).toBe('m');
  });

  it.each([
    ['Cohere', 34, 'assistants', count],
    ['Zhipu', 16, 'users', count],
    ['Hunyuan', 23, 'assistants', count],
    ['Claude', 14, 'users', count],
    ['Gemini', 24, 'calls in messages', count],
    // More pieces are refused.
    ['Gemini', 24, 'schemas that are joined', 40_000],
  ])('is written for %s', (_vendor, type, shape, parts) => {
    const request = buildRequest('openai-chat', longRequests['openai-chat']![shape]!(parts));
    const channel = buildChannel({ type, baseUrl: 'https://own.test', key: type === 23 ? 'a|b|c' : 'a.b' });
    const { body, unwritten } = bridge(providerOf(type)!, channel, request, 'm', relayOptions);
    const written = unwritten ? JSON.stringify(unwritten) : body;
    expect(written.length).toBeGreaterThan(parts);
  });
});

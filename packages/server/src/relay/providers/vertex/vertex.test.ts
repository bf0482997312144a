import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts } from '../../../testing/protocols/codec-bench.ts';
import { FakeGoogle } from '../../../testing/upstream/fake-google.ts';
import { haveRecordings, recordedStreams } from '../../../testing/protocols/recordings.ts';
import { bridge } from '../../bridge.ts';
import { type Channel, type ProtocolId, RelayError } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { callerProtocol } from '../../protocols.ts';
import { vertex } from './index.ts';

const google = new FakeGoogle();
const key = google.keyFile('https://oauth2.googleapis.com/token');
const account = (fields: Partial<Channel> = {}): Channel =>
  buildChannel({ type: 41, key, baseUrl: '', other: 'us-central1', ...fields });
const express = (fields: Partial<Channel> = {}): Channel => account({ key: google.apiKey, ...fields });

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const messages = [{ role: 'user', content: 'hi' }];
const samples: Partial<Record<ProtocolId, JsonObject>> = {
  gemini: { contents },
  'anthropic-messages': { messages, max_tokens: 9 },
  'openai-chat': { messages },
};

function call(
  protocol: ProtocolId,
  model: string,
  {
    body = {},
    stream = false,
    channel = account(),
  }: Partial<{ body: JsonObject; stream: boolean; channel: Channel }> = {},
) {
  const named = protocol === 'gemini' ? {} : { model, ...(stream && { stream }) };
  const fromPath = protocol === 'gemini' ? { model, stream } : {};
  const request = buildRequest(protocol, { ...named, ...samples[protocol], ...body }, fromPath);
  return bridge(vertex, channel, request, model, relayOptions);
}
const sent = (...args: Parameters<typeof call>): JsonObject =>
  JSON.parse(call(...args).body.toString()) as JsonObject;

/** Reason why a call could not be made. */
function failure(make: () => unknown): RelayError {
  try {
    make();
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
  throw new Error('the call was made');
}

const project = 'projects/fake-project/locations';

describe('the address of a call', () => {
  test.each([
    ['us-central1', `https://us-central1-aiplatform.googleapis.com/v1/${project}/us-central1/`],
    ['global', `https://aiplatform.googleapis.com/v1/${project}/global/`],
    ['eu', `https://aiplatform.eu.rep.googleapis.com/v1/${project}/eu/`],
    [
      '{"gemini-2.5-pro":"europe-west1","default":"global"}',
      `https://europe-west1-aiplatform.googleapis.com/v1/${project}/europe-west1/`,
    ],
    ['{"default":"global"}', `https://aiplatform.googleapis.com/v1/${project}/global/`],
  ])('in the region %s begins with %s', (other, start) => {
    const { url } = call('gemini', 'gemini-2.5-pro', { channel: account({ other }) });
    expect(url).toBe(`${start}publishers/google/models/gemini-2.5-pro:generateContent`);
  });

  test('has the publisher, the model and the method', () => {
    const base = `https://us-central1-aiplatform.googleapis.com/v1/${project}/us-central1/publishers`;
    const url = (...args: Parameters<typeof call>): string => call(...args).url;
    expect(url('gemini', 'gemini-2.5-pro', { stream: true })).toBe(
      `${base}/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
    );
    expect(decodeURIComponent(url('anthropic-messages', 'claude-sonnet-4-20250514'))).toBe(
      `${base}/anthropic/models/claude-sonnet-4@20250514:rawPredict`,
    );
    expect(decodeURIComponent(url('openai-chat', 'claude-opus-4-6', { stream: true }))).toBe(
      `${base}/anthropic/models/claude-opus-4-6:streamRawPredict?alt=sse`,
    );
    expect(url('openai-chat', 'meta/llama3-405b-instruct-maas')).toBe(
      `https://us-central1-aiplatform.googleapis.com/v1beta1/${project}/us-central1/endpoints/openapi/chat/completions`,
    );
  });

  test('finds the region of Claude by either of its names', () => {
    for (const name of ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-v2@20241022']) {
      const other = JSON.stringify({ default: 'global', [name]: 'us-east5' });
      const { url } = call('anthropic-messages', 'claude-3-5-sonnet-20241022', {
        channel: account({ other }),
      });
      expect(decodeURIComponent(url)).toContain(
        '/locations/us-east5/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:',
      );
    }
  });

  test('is at the host that the channel names', () => {
    const { url } = call('gemini', 'gemini-2.5-pro', {
      channel: account({ baseUrl: 'https://proxy.test/google' }),
    });
    expect(url).toBe(
      `https://proxy.test/google/v1/${project}/us-central1/publishers/google/models/gemini-2.5-pro:generateContent`,
    );
  });

  test('cannot be moved to another host by a region', () => {
    for (const other of ['evil.test/', '{"default":"evil.test/"}', '{"m":"global"}', '{broken']) {
      const error = failure(() => call('gemini', 'gemini-2.5-pro', { channel: account({ other }) }));
      expect([error.code, error.blame]).toEqual(['invalid_channel_region', 'channel']);
    }
  });

  test('needs no project with an API key, which is sent in a header and serves Gemini alone', () => {
    const { url, headers } = call('gemini', 'gemini-2.5-pro', { channel: express({ other: 'global' }) });
    expect(url).toBe(
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent',
    );
    expect(headers['x-goog-api-key']).toBe(google.apiKey);
    for (const [protocol, model] of [
      ['anthropic-messages', 'claude-opus-4-6'],
      ['openai-chat', 'meta/llama-4-maas'],
    ] as const) {
      expect(failure(() => call(protocol, model, { channel: express() })).code).toBe('invalid_api_type');
    }
  });
});

describe('Claude', () => {
  test('is sent without a model, with the version in the body, and no other field changed', () => {
    const text =
      '{ "model":"claude-opus-4-20250514","max_tokens":9, "messages":[{"role":"user","content":"\\u0041"}], "new_field":1.0 }';
    const request = {
      ...buildRequest('anthropic-messages', text),
      headers: { 'anthropic-beta': 'a', 'anthropic-version': '2023-06-01' },
    };
    const made = bridge(vertex, account(), request, 'claude-opus-4-20250514', relayOptions);
    expect(made.body.toString()).toBe(
      '{ "max_tokens":9, "messages":[{"role":"user","content":"\\u0041"}], "new_field":1.0,"anthropic_version":"vertex-2023-10-16" }',
    );
    expect(made.upstreamModel).toBe('claude-opus-4@20250514');
    expect(made.headers['anthropic-beta']).toBe('a');
    expect(made.headers).not.toHaveProperty('anthropic-version');
    expect(made.headers).not.toHaveProperty('x-api-key');
  });

  test('is refused a thread, in the words by which Anthropic’s client goes on without one', () => {
    const body = { messages, max_tokens: 9, thread: { type: 'create' } };
    const refused = failure(() => sent('anthropic-messages', 'claude-opus-4-20250514', { body }));
    expect(refused).toMatchObject({ code: 'cannot_translate', param: 'thread' });
    const { status, body: written } = callerProtocol('anthropic-messages')!.inbound.writeError(refused, 'r1');
    expect([status, JSON.parse(written)]).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } },
    ]);
  });

  test('is sent in its format even where bodies are passed through', () => {
    const channel = account({ setting: { ...account().setting, passThroughBody: true } });
    const made = call('anthropic-messages', 'claude-opus-4-20250514', { channel });
    expect(decodeURIComponent(made.url)).toContain('/claude-opus-4@20250514:');
    expect(JSON.parse(made.body.toString())).toHaveProperty('anthropic_version');
  });

  test('has the suffixes of Claude’s names', () => {
    const made = sent('anthropic-messages', 'claude-3-7-sonnet-20250219-thinking', {
      body: { max_tokens: 10_000 },
    });
    expect(made).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8_000 }, temperature: 1 });
    const { url } = call('anthropic-messages', 'claude-3-7-sonnet-20250219-thinking');
    expect(decodeURIComponent(url)).toContain('/claude-3-7-sonnet@20250219:');
  });

  test('has its tokens counted by Google', () => {
    const count = call('anthropic-messages', 'claude-opus-4-20250514', { body: { temperature: 0 } }).count!();
    expect(count.url).toMatch(/\/publishers\/anthropic\/models\/count-tokens:rawPredict$/);
    expect(JSON.parse(count.body.toString())).toEqual({
      messages,
      anthropic_version: 'vertex-2023-10-16',
      model: 'claude-opus-4@20250514',
    });
    expect(count.read({ input_tokens: 7 })).toBe(7);
  });
});

describe('Gemini', () => {
  test('gets the bytes of its own callers unchanged', () => {
    const text = '{ "contents":[{"role":"user","parts":[{"text":"\\u0041"}]}], "x_new":1.0 }';
    const request = buildRequest('gemini', text, { model: 'gemini-2.5-pro', stream: true });
    const { body } = bridge(vertex, account(), request, 'gemini-2.5-pro', relayOptions);
    expect(body.toString()).toBe(text);
  });

  test('gets a role for contents that have none, because Vertex AI refuses them', () => {
    const body = { contents: [{ parts: [{ text: 'hi' }] }, { role: 'model', parts: [{ text: 'ho' }] }] };
    expect(sent('gemini', 'gemini-2.5-pro', { body }).contents).toEqual([
      { parts: [{ text: 'hi' }], role: 'user' },
      body.contents[1],
    ]);
  });

  test('gets the calls of a conversation that began at AI Studio without their ids', () => {
    const turns = (ids: object) => [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { ...ids, name: 'f', args: {} }, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ functionResponse: { ...ids, name: 'f', response: {} } }] },
    ];
    const made = sent('gemini', 'gemini-2.5-pro', { body: { contents: turns({ id: 'c1' }) } });
    expect(made.contents).toEqual(turns({}));
  });

  test('gets calls and results of other protocols without ids', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    const turn = [
      ...messages,
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ];
    const made = sent('openai-chat', 'gemini-2.5-pro', { body: { messages: turn, tools } });
    expect(made.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
    ]);
  });

  test('has its tokens counted in the format of Vertex AI', () => {
    const count = call('gemini', 'gemini-2.5-pro', { body: { safetySettings: [{ category: 'X' }] } })
      .count!();
    expect(count.url).toMatch(/\/publishers\/google\/models\/gemini-2\.5-pro:countTokens$/);
    expect(JSON.parse(count.body.toString())).toEqual({ contents });
    expect(count.read({ totalTokens: 7 })).toBe(7);
  });
});

test('Imagen makes images by predictions', () => {
  const request = {
    ...buildRequest('openai-images', { model: 'imagen-4', prompt: 'a cat', size: '1792x1024' }),
    path: '/v1/images/generations',
  };
  const made = bridge(vertex, account(), request, 'imagen-4', relayOptions);
  expect(made.url).toMatch(/\/publishers\/google\/models\/imagen-4:predict$/);
  expect(JSON.parse(made.body.toString())).toEqual({
    instances: [{ prompt: 'a cat' }],
    parameters: { aspectRatio: '16:9', sampleCount: 1 },
  });
  const answer = { predictions: [{ bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }] };
  const { end } = feed(made.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(answer))]);
  expect([end.outcome, JSON.parse(end.tail!.toString())]).toMatchObject([
    'complete',
    { data: [{ b64_json: 'AAAA' }] },
  ]);
});

describe.skipIf(!haveRecordings)(
  'recorded streams of Vertex AI (skipped where the recordings are not beside the checkout)',
  () => {
    const recordings = haveRecordings
      ? recordedStreams('gemini').filter(({ vendor }) => vendor === 'vertex')
      : [];

    test.each(recordings.map((recording) => [recording.file, recording] as const))(
      '%s is sent unchanged, and its answer passes however it is cut',
      (_file, { request, body, contentType, status }) => {
        const asked = buildRequest('gemini', request as JsonObject, {
          model: 'gemini-2.5-flash',
          stream: true,
        });
        const made = bridge(vertex, account(), asked, 'gemini-2.5-flash', relayOptions);
        expect(made.body.equals(asked.raw)).toBe(true);
        for (const size of [1, 7, body.length]) {
          const { passed, end } = feed(made.openPipe(status, contentType), cuts(body, size));
          expect(Buffer.concat([passed, end.tail!]).equals(body)).toBe(true);
          expect([end.outcome, end.usage !== undefined]).toEqual(['complete', true]);
        }
      },
    );

    test('every recording was replayed', () => {
      console.log(`replayed vertex: ${recordings.length} streams`);
      expect(recordings.length).toBeGreaterThan(0);
    });
  },
);

import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Http2Upstream, startHttp2Upstream } from '../../../testing/upstream/http2-upstream.ts';
import { chat, claude, rich, weather } from '../../../testing/protocols/translate-to-converse.ts';
import { isObject } from '../../../lib/json.ts';

describe('the vendor’s own client sends the same', () => {
  let upstream: Http2Upstream;
  let client: BedrockRuntimeClient;
  beforeAll(async () => {
    upstream = await startHttp2Upstream({
      contentType: 'application/json',
      body: Buffer.from('{"output":{"message":{"role":"assistant","content":[]}}}'),
      pieceBytes: 1_000,
    });
    client = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: upstream.url,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    });
  });
  afterAll(async () => {
    client.destroy();
    await upstream.close();
  });

  /** In the client's format, where bytes are no text. */
  const withBytes = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withBytes);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) =>
        (name === 'bytes' || name === 'redactedContent') && typeof each === 'string'
          ? [name, Buffer.from(each, 'base64')]
          : [name, withBytes(each)],
      ),
    );
  };

  const schema = { name: 's', schema: { type: 'object' }, description: 'd' };
  test.each([
    ['everything', chat(rich).body],
    [
      'a schema',
      chat({ response_format: { type: 'json_schema', json_schema: schema } }, 'qwen.qwen3-32b-v1:0').body,
    ],
    [
      'a chosen tool',
      chat({ tools: [weather], tool_choice: { type: 'function', function: { name: 'weather' } } }).body,
    ],
    [
      'thoughts and points of caching',
      claude(
        {
          system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
          messages: [
            { role: 'user', content: 'hi' },
            {
              role: 'assistant',
              content: [
                { type: 'thinking', thinking: 'why', signature: '~bedrock-converse~c2ln' },
                { type: 'redacted_thinking', data: '~bedrock-converse~c2Vj' },
                { type: 'tool_use', id: 'a', name: 'f', input: {} },
              ],
            },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'no' }],
            },
          ],
          tools: [{ name: 'f', input_schema: { type: 'object' } }],
          thinking: { type: 'enabled', budget_tokens: 1_024 },
          max_tokens: 4_000,
          top_k: 5,
        },
        'x.claude-3-7-sonnet',
      ).body,
    ],
    [
      'a search',
      claude({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'us.amazon.nova-2-lite-v1:0')
        .body,
    ],
  ] as const)('of %s: every field is one of the published interface', async (_name, body) => {
    const input = { modelId: 'm', ...(withBytes(body) as { messages: [] }) };
    await client.send(new ConverseCommand(input));
    expect(JSON.parse(upstream.bodies.at(-1)!.toString())).toEqual(body);
  });
});

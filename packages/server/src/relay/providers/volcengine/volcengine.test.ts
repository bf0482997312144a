import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { volcengine } from './index.ts';

function speech(key: string, body: JsonObject = {}, baseUrl = volcengine.baseUrl) {
  const request = buildRequest('openai-audio', { model: 'm', voice: 'v', input: 'hi', ...body });
  const channel = buildChannel({ type: 45, baseUrl, key });
  const model = typeof body.model === 'string' ? body.model : 'm';
  return bridge(volcengine, channel, { ...request, path: '/v1/audio/speech' }, model, relayOptions);
}

test('speech has another host than Ark, or the one of the channel', () => {
  expect(speech('app|token').url).toBe('https://openspeech.bytedance.com/api/v1/tts');
  expect(speech('app|token', {}, 'https://proxy.test').url).toBe('https://proxy.test/api/v1/tts');
});

test.each(['key', '|token', 'app|', 'app|token|more'])(
  'speech with the key %s is the channel’s fault, reported without the key',
  (key) => {
    const expected = { status: 401, code: 'invalid_channel_key', blame: 'channel' };
    expect(() => speech(key)).toThrow(expect.objectContaining(expected));
  },
);

test('the model of speech is sent where there are several, and VolcEngine’s own fields pass', () => {
  const audio = { emotion: 'happy', encoding: 'flac' };
  const call = speech('app|token', { model: 'seed-tts-1.1', audio, request: { operation: 'submit' } });
  expect(JSON.parse(call.body.toString())).toMatchObject({
    audio: { emotion: 'happy', encoding: 'mp3', voice_type: 'v' },
    request: { model: 'seed-tts-1.1', operation: 'query', text: 'hi' },
  });
  expect(call.secrets).toEqual(['app|token', 'token']);
});

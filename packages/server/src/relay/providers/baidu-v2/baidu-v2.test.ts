import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { baiduV2 } from './index.ts';

const made = (key: string) =>
  bridge(
    baiduV2,
    buildChannel({ type: 46, baseUrl: baiduV2.baseUrl, key }),
    buildRequest('openai-chat', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    'm',
    relayOptions,
  );

test('the application of a key has its own header, in calls and in the list of models', () => {
  expect(made('bce-v3/key|app-1').headers).toMatchObject({
    authorization: 'Bearer bce-v3/key',
    appid: 'app-1',
  });
  expect(made('bce-v3/key').headers).toMatchObject({ authorization: 'Bearer bce-v3/key' });
  expect(made('bce-v3/key').headers).not.toHaveProperty('appid');
  const channel = buildChannel({ baseUrl: baiduV2.baseUrl, key: 'k|a' });
  expect(baiduV2.fetchModels!.request(channel)).toEqual({
    url: 'https://qianfan.baidubce.com/v2/models',
    headers: { authorization: 'Bearer k', appid: 'a' },
  });
});

test('calls go below /v2', () => {
  expect(made('k').url).toBe('https://qianfan.baidubce.com/v2/chat/completions');
});

import type { Inbound } from '../../relay/types/index.ts';
import { vertexPlaces, versions } from './gemini-routes.ts';
import type { RelayRoute, RouteProtocols, TaskCallName } from './relay-route.ts';
import { kling, midjourney, suno } from './task-shapes.ts';

/** Midjourney's submit calls: the last segments of the path. */
const submits = [
  'submit/imagine',
  'submit/change',
  'submit/simple-change',
  'submit/describe',
  'submit/blend',
  'submit/shorten',
  'submit/action',
  'submit/modal',
  'submit/upload-discord-images',
  'submit/edits',
  'submit/video',
  'insight-face/swap',
];

/** Midjourney's calls, without and with a mode (`/mj-fast/mj/…`), the vendor's speed. */
export function midjourneyRoutes(chat: Inbound): RelayRoute[] {
  const inbound = midjourney(chat);
  return ['', '/{mode}'].flatMap((prefix) => {
    const call = (method: 'GET' | 'POST', path: string, task: TaskCallName): RelayRoute => ({
      method,
      path: `${prefix}/mj/${path}`,
      access: task === 'mj-image' ? 'public' : 'key',
      kind: 'task',
      task,
      inbound,
    });
    return [
      ...submits.map((path) => call('POST', path, 'mj-submit')),
      call('GET', 'task/{id}/fetch', 'mj-fetch'),
      call('GET', 'task/{id}/image-seed', 'mj-seed'),
      call('POST', 'task/list-by-condition', 'mj-list'),
      call('POST', 'notify', 'mj-notify'),
      call('GET', 'image/{id}', 'mj-image'),
    ];
  });
}

/** Suno's calls. */
export function sunoRoutes(chat: Inbound): RelayRoute[] {
  const shared = { access: 'key' as const, kind: 'task' as const, inbound: suno(chat) };
  return [
    { ...shared, method: 'POST', path: '/suno/submit/{action}', task: 'suno-submit' },
    { ...shared, method: 'POST', path: '/suno/fetch', task: 'suno-list' },
    { ...shared, method: 'GET', path: '/suno/fetch/{id}', task: 'suno-fetch' },
  ];
}

/** Videos: OpenAI's calls, the older ones of such gateways, and those of Kling, Jimeng and Google. */
export function videoRoutes({ chat, gemini }: Pick<RouteProtocols, 'chat' | 'gemini'>): RelayRoute[] {
  const call =
    (inbound: RelayRoute['inbound']) =>
    (method: RelayRoute['method'], path: string, task: TaskCallName): RelayRoute => ({
      method,
      path,
      task,
      inbound,
      access: 'key',
      kind: 'task',
    });
  const openai = call(chat);
  const native = call(kling(chat));
  const google = call(gemini);
  return [
    openai('POST', '/v1/videos', 'video-create'),
    openai('GET', '/v1/videos', 'video-list'),
    openai('GET', '/v1/videos/{id}', 'video-read'),
    openai('DELETE', '/v1/videos/{id}', 'video-delete'),
    openai('GET', '/v1/videos/{id}/content', 'video-content'),
    openai('POST', '/v1/videos/{id}/remix', 'video-remix'),
    openai('POST', '/v1/video/generations', 'generation-create'),
    openai('GET', '/v1/video/generations/{id}', 'generation-read'),
    ...['text2video', 'image2video'].flatMap((kind) => [
      native('POST', `/kling/v1/videos/${kind}`, 'kling-create'),
      native('GET', `/kling/v1/videos/${kind}/{id}`, 'kling-read'),
    ]),
    native('POST', '/jimeng', 'jimeng'),
    ...versions.flatMap((version) => [
      google('POST', `${version}/models/{model}:predictLongRunning`, 'veo-create'),
      google('GET', `${version}/models/{model}/operations/{id}`, 'veo-read'),
    ]),
    ...vertexPlaces.flatMap((place) => [
      google('POST', `${place}/models/{model}:predictLongRunning`, 'veo-create'),
      google('POST', `${place}/models/{model}:fetchPredictOperation`, 'veo-fetch'),
    ]),
  ];
}

/** Batches of the three vendors. Below `/v1`, Google's lists have the paths of OpenAI's. */
export function batchRoutes(
  { chat, messages, gemini }: Pick<RouteProtocols, 'chat' | 'messages' | 'gemini'>,
  inboundFor: NonNullable<RelayRoute['inboundFor']>,
): RelayRoute[] {
  const ofOpenai = { access: 'key', kind: 'task', inbound: chat, inboundFor } as const;
  const ofAnthropic = { access: 'key', kind: 'task', inbound: messages } as const;
  const ofGoogle = { access: 'key', kind: 'task', inbound: gemini } as const;
  const both = [
    [ofOpenai, '/v1/batches'],
    [ofAnthropic, '/v1/messages/batches'],
  ] as const;
  return [
    { ...ofOpenai, method: 'POST', path: '/v1/batches', task: 'batch-create' },
    { ...ofAnthropic, method: 'POST', path: '/v1/messages/batches', task: 'message-batch-create' },
    { ...ofAnthropic, method: 'DELETE', path: '/v1/messages/batches/{id}', task: 'batch-delete' },
    { ...ofAnthropic, method: 'GET', path: '/v1/messages/batches/{id}/results', task: 'batch-results' },
    { ...ofGoogle, method: 'GET', path: '/v1beta/batches', task: 'batch-list' },
    { ...ofGoogle, method: 'GET', path: '/v1beta/batches/{id}', task: 'batch-read' },
    ...versions.flatMap((version): RelayRoute[] => [
      ...['batchGenerateContent', 'asyncBatchEmbedContent'].map((verb): RelayRoute => ({
        ...ofGoogle,
        method: 'POST',
        path: `${version}/models/{model}:${verb}`,
        task: 'google-batch-create',
      })),
      { ...ofGoogle, method: 'POST', path: `${version}/batches/{id}:cancel`, task: 'batch-cancel' },
      { ...ofGoogle, method: 'DELETE', path: `${version}/batches/{id}`, task: 'batch-delete' },
    ]),
    ...both.flatMap(([call, path]): RelayRoute[] => [
      { ...call, method: 'GET', path, task: 'batch-list' },
      { ...call, method: 'GET', path: `${path}/{id}`, task: 'batch-read' },
      { ...call, method: 'POST', path: `${path}/{id}/cancel`, task: 'batch-cancel' },
    ]),
  ];
}

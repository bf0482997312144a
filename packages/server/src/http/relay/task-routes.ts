import type { Inbound } from '../../relay/types/index.ts';
import type { RelayRoute, TaskCallName } from './relay-route.ts';
import { midjourney, suno } from './task-shapes.ts';

/** What Midjourney's clients submit: the last words of the path. */
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

/** Midjourney's calls, plain and below a mode (`/mj-fast/mj/…`), which says how fast the vendor may draw. */
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

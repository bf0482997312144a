import type { IncomingHttpHeaders } from 'node:http';
import { accessRole } from '@tollgate/contract';
import { askVendor, passThrough, taskChannel } from '../../../gateway/index.ts';
import {
  type Channel,
  originOf,
  type Provider,
  refuse,
  RelayError,
  type TaskQuestion,
} from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';
import { mediaHead, oneOf, shownOnly } from './media-head.ts';
import { anyVideo, ownVideo } from './video-view.ts';

/** Most redirects of a vendor's address. */
const mostRedirects = 3;
const playedTimeoutMs = 30_000;

/** GET /v1/videos/{id}/content: the video's bytes, all or the requested range, to its owner only. */
export const contentOfVideo: TaskHandler = async (deps, authorized) =>
  sendContent(deps, authorized, await ownVideo(deps, authorized, authorized.matched.slots.id ?? ''));

/** GET /pg/videos/{id}/content: the same for players of the console; administrators can see every video. */
export const watchVideo: TaskHandler = async (deps, authorized) => {
  const id = authorized.matched.slots.id ?? '';
  const isTheirs = authorized.caller.role < accessRole.admin;
  const task = isTheirs ? await ownVideo(deps, authorized, id) : await anyVideo(deps, id);
  await sendContent(deps, authorized, task);
};

async function sendContent(deps: TaskRouteDeps, authorized: AuthorizedRequest, task: Task): Promise<void> {
  const variant = new URLSearchParams(authorized.query).get('variant') ?? 'video';
  if (variant !== 'video') throw refuse('field_not_choice', { field: 'variant', choices: 'video' });
  if (task.state !== 'succeeded') throw refuse('video_not_ready');
  const { tasks } = deps;
  const channel = taskChannel(tasks, task, authorized.caller);
  const provider = channel && tasks.provider(channel.type);
  const vendor = provider?.tasks?.video;
  if (!channel || !provider || !vendor) throw refuse('task_channel_disabled');
  const { vendorId, upstreamModel: model, result } = task;
  const question = await vendor.content(
    { vendorId, model, result },
    channel,
    tasks.toolsFor(provider, channel),
  );
  if (provider.tasks?.local) return playVideo(deps, authorized, { provider, channel, question });
  await streamVideo(deps, authorized, channel, question);
}

/** Streams from the video's location; a redirect gets the key only on the same origin. */
async function streamVideo(
  deps: TaskRouteDeps,
  authorized: AuthorizedRequest,
  channel: Channel,
  question: TaskQuestion,
): Promise<void> {
  const missing = refuse('vendor_file_missing');
  const range = authorized.req.headers.range;
  let { url, headers } = question;
  for (let left = mostRedirects; ; left -= 1) {
    let next = '';
    // The address in an answer may be any; the channel's own address may be inside the operator's network.
    const isOwn = originOf(url) === originOf(channel.baseUrl);
    try {
      return await passThrough(deps.tasks.gateway, authorized.client, {
        call: {
          url,
          headers: { ...headers, ...(range !== undefined && { range }) },
          scope: isOwn ? 'operator' : 'public',
          proxy: channel.setting.proxy,
        },
        headOf(status, answered) {
          next = status >= 300 && status < 400 ? oneOf(answered.location) : '';
          const identity = deps.identityHeaders(authorized.requestId);
          return mediaHead(status, answered, {
            ...videoHeaders(oneOf(answered['content-type'])),
            ...identity,
          });
        },
        missing,
      });
    } catch (error) {
      const target = next === '' || left === 0 ? undefined : URL.parse(next, url);
      if (!(error instanceof RelayError) || error !== missing || !target) throw error;
      if (target.origin !== originOf(url)) headers = {};
      url = target.href;
    }
  }
}

/** A vendor's file is only passed on as a video, and must not be cached. */
const videoHeaders = (type: string): Record<string, string> => ({
  'content-type': /^video\/[\w.+-]+$/.test(type) ? type : 'video/mp4',
  'cache-control': 'private, max-age=3600',
  ...shownOnly,
});

/** A video of the sandbox. */
async function playVideo(
  deps: TaskRouteDeps,
  { client, req, requestId }: AuthorizedRequest,
  asked: { provider: Provider; channel: Channel; question: TaskQuestion },
): Promise<void> {
  const { status, body } = await askVendor(deps.tasks, { ...asked, timeoutMs: playedTimeoutMs });
  if (status !== 200) throw refuse('vendor_file_missing');
  const part = partOf(req.headers, body.length);
  const identity = deps.identityHeaders(requestId);
  const shared = { ...videoHeaders('video/webm'), 'accept-ranges': 'bytes', ...identity };
  if (part === 'none') {
    client.head(416, { ...shared, 'content-range': `bytes */${body.length}` });
    client.finish(undefined, {});
    return;
  }
  const { from, to } = part ?? { from: 0, to: body.length - 1 };
  const range = part && { 'content-range': `bytes ${from}-${to}/${body.length}` };
  client.head(part ? 206 : 200, { ...shared, ...range, 'content-length': String(to - from + 1) });
  client.finish(body.subarray(from, to + 1), {});
}

/** The requested `Range`; undefined for the whole, 'none' if it is outside of the video. */
function partOf(
  { range }: Pick<IncomingHttpHeaders, 'range'>,
  length: number,
): { from: number; to: number } | 'none' | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(range ?? '');
  if (!found || (found[1] === '' && found[2] === '')) return undefined;
  const last = length - 1;
  const from = found[1] === '' ? Math.max(0, length - Number(found[2])) : Number(found[1]);
  const to = found[1] === '' || found[2] === '' ? last : Math.min(last, Number(found[2]));
  return from > to || from > last ? 'none' : { from, to };
}

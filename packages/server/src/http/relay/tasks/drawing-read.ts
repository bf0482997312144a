import { parseObject, textOf } from '../../../lib/json.ts';
import { askVendor, passThrough, taskChannel } from '../../../gateway/index.ts';
import { type Channel, originOf, type Provider, refuse } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import { answerJson, idsIn, readTaskBody } from './body.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';
import { drawingObject } from './drawing-object.ts';
import { mediaHead, oneOf, shownOnly } from './media-head.ts';

const seedTimeoutMs = 30_000;
const isDrawing = ({ platform }: Task): boolean => platform === 'mj';

/** The caller's own drawing in the path; throws if it does not exist or has another owner. */
async function named({ tasks }: TaskRouteDeps, { caller, matched }: AuthorizedRequest): Promise<Task> {
  const task = await tasks.tasks.findOwn(caller.userId, matched.slots.id ?? '');
  if (!task || !isDrawing(task)) throw refuse('task_not_found');
  return task;
}

/** GET /mj/task/{id}/fetch */
export const fetchDrawing: TaskHandler = async (deps, authorized) => {
  const task = await named(deps, authorized);
  answerJson(deps, authorized, drawingObject(task, deps.options(authorized.req)));
};

/** POST /mj/task/list-by-condition */
export const listDrawings: TaskHandler = async (deps, authorized) => {
  const { ids } = await readTaskBody(deps, authorized);
  const found = await deps.tasks.tasks.findMany(authorized.caller.userId, idsIn(ids));
  const options = deps.options(authorized.req);
  answerJson(
    deps,
    authorized,
    found.filter(isDrawing).map((task) => drawingObject(task, options)),
  );
};

/** A task's channel; throws if it was deleted. */
function requireChannel(
  { tasks }: TaskRouteDeps,
  { caller }: AuthorizedRequest,
  task: Task,
): { channel: Channel; provider: Provider } {
  const channel = taskChannel(tasks, task, caller);
  const provider = channel && tasks.provider(channel.type);
  if (!channel || !provider?.tasks?.drawing) throw refuse('task_channel_disabled');
  return { channel, provider };
}

/** GET /mj/task/{id}/image-seed: only the vendor has it. */
export const seedOfDrawing: TaskHandler = async (deps, authorized) => {
  const task = await named(deps, authorized);
  const { channel, provider } = requireChannel(deps, authorized, task);
  const url = `${channel.baseUrl}/mj/task/${encodeURIComponent(task.vendorId)}/image-seed`;
  const question = { method: 'GET' as const, url, headers: provider.headers(channel) };
  const { status, body } = await askVendor(deps.tasks, {
    provider,
    channel,
    question,
    timeoutMs: seedTimeoutMs,
  });
  const answer = status === 200 ? parseObject(body) : undefined;
  if (!answer) throw refuse('task_answer_unreadable');
  answerJson(deps, authorized, answer);
};

/** POST /mj/notify: a hint that something is new. Its content is not trusted; the vendor is polled. */
export const notifyDrawing: TaskHandler = async (deps, authorized) => {
  const body = await readTaskBody(deps, authorized);
  const id = typeof body.id === 'number' ? String(body.id) : textOf(body.id);
  const known = id === '' ? 0 : await deps.tasks.tasks.hint(authorized.caller.userId, id);
  if (known > 0) deps.poller.requestRun();
  answerJson(deps, authorized, { code: 1, description: 'ok' });
};

/** GET /mj/image/{id}: streams the image through the channel's proxy to any caller with its address. */
export const pictureOfDrawing: TaskHandler = async (deps, authorized) => {
  const task = await deps.tasks.tasks.find(authorized.matched.slots.id ?? '');
  const url = task && isDrawing(task) ? textOf(task.result.imageUrl) : '';
  const { client, req, requestId } = authorized;
  const headersFor = (type: string): Record<string, string> => ({
    'content-type': type,
    'cache-control': task?.state === 'succeeded' ? 'public, max-age=86400' : 'no-store',
    ...deps.identityHeaders(requestId),
  });
  const own = dataPattern.exec(url);
  if (own) {
    client.head(200, { ...shownOnly, ...headersFor(own[1] ?? '') });
    client.finish(Buffer.from(url.slice(own[0].length), 'base64'), {});
    return;
  }
  if (!task || !/^https?:\/\//.test(url)) return noPicture(deps, authorized);
  const channel = deps.tasks.gateway.routing.byId(task.channelId)?.channel;
  const { range } = req.headers;
  const headers = { accept: 'image/*', ...(range !== undefined && { range }) };
  // An address in an answer may be chosen by anyone; the channel's own address may be inside the operator's network.
  const isOwn = channel !== undefined && originOf(url) === originOf(channel.baseUrl);
  const scope = isOwn ? 'operator' : 'public';
  await passThrough(deps.tasks.gateway, client, {
    call: { url, headers, scope, proxy: channel?.setting.proxy ?? '' },
    headOf: (status, answered) =>
      mediaHead(status, answered, headersFor(imageType(oneOf(answered['content-type'])))),
    missing: refuse('task_answer_unreadable'),
  });
};

/** Prefix of an address that contains the image itself; used by the sandbox. */
const dataPattern = /^data:(image\/(?:png|jpeg|webp|gif));base64,/;

/** Only images and videos are passed with their content type. */
const imageType = (type: string): string => (/^(?:image|video)\/[\w.+-]+$/.test(type) ? type : 'image/jpeg');

/** Answer for a missing image. */
function noPicture(deps: TaskRouteDeps, { client, requestId }: AuthorizedRequest): void {
  client.head(400, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify({ error: 'midjourney_task_not_found' })), {});
}

import {
  readVideoRequest,
  writeDeleted,
  writeGeneration,
  writeNewGeneration,
  writeVideo,
  writeVideos,
} from '../../../relay/tasks/callers/index.ts';
import { askVendor, taskChannel } from '../../../gateway/index.ts';
import { refuse, RelayError } from '../../../relay/types/index.ts';
import { isOver, type Task } from '../../../services/calls/tasks/index.ts';
import { answerJson } from './body.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import { readVideoBody } from './video-body.ts';
import { quoteVideo, submitVideo } from './video-submit.ts';
import { isVideo, ownVideo, viewOf } from './video-view.ts';

/** OpenAI's defaults. */
const usualModel = 'sora-2';

const shown = (deps: TaskRouteDeps, { req }: AuthorizedRequest, task: Task) =>
  viewOf(task, deps.options(req).ServerAddress);

/** POST /v1/videos */
export const createVideo: TaskHandler = async (deps, authorized) => {
  const { fields, pictures } = await readVideoBody(deps, authorized);
  const video = readVideoRequest({ ...fields, model: fields.model ?? usualModel }, pictures);
  answerJson(
    deps,
    authorized,
    writeVideo(shown(deps, authorized, await submitVideo(deps, authorized, video))),
  );
};

/** POST /pg/videos/price: the cost of a video with this body, in quota units. */
export const priceVideo: TaskHandler = async (deps, authorized) => {
  const { fields, pictures } = await readVideoBody(deps, authorized);
  answerJson(deps, authorized, { quota: quoteVideo(deps, authorized, readVideoRequest(fields, pictures)) });
};

/** POST /v1/videos/{id}/remix: the same video again, by the vendor that made it. */
export const remixVideo: TaskHandler = async (deps, authorized) => {
  const origin = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  const { fields } = await readVideoBody(deps, authorized);
  if (origin.state !== 'succeeded') throw refuse('video_not_ready');
  const { seconds, size } = origin.request;
  const video = readVideoRequest({ ...fields, model: origin.model, seconds, size });
  const remix = { ...video, remixOf: origin.vendorId };
  answerJson(
    deps,
    authorized,
    writeVideo(shown(deps, authorized, await submitVideo(deps, authorized, remix, origin))),
  );
};

/** GET /v1/videos/{id} */
export const readVideo: TaskHandler = async (deps, authorized) => {
  const task = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  answerJson(deps, authorized, writeVideo(shown(deps, authorized, task)));
};

/** GET /v1/videos: the newest first, after the video `after`. */
export const listVideos: TaskHandler = async (deps, authorized) => {
  const query = new URLSearchParams(authorized.query);
  const asked = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(asked) || asked < 1 || asked > 100)
    throw refuse('field_out_of_range', { field: 'limit', least: 1, most: 100 });
  if ((query.get('order') ?? 'desc') !== 'desc')
    throw refuse('field_not_choice', { field: 'order', choices: 'desc' });
  const after = query.get('after');
  const before = after === null ? undefined : (await ownVideo(deps, authorized, after)).id;
  const found = await deps.tasks.tasks.page(
    { platforms: ['video'], userId: authorized.caller.userId, ...(before !== undefined && { before }) },
    { offset: 0, limit: asked + 1 },
  );
  const videos = found.filter(isVideo).slice(0, asked);
  answerJson(
    deps,
    authorized,
    writeVideos(
      videos.map((task) => shown(deps, authorized, task)),
      found.length > asked,
    ),
  );
};

/** DELETE /v1/videos/{id}: at the vendor, if it has such a call, and here. */
export const deleteVideo: TaskHandler = async (deps, authorized) => {
  const task = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  if (!isOver(task.state)) throw refuse('video_not_ready');
  await removeAtVendor(deps, authorized, task);
  await deps.tasks.tasks.forget(task);
  answerJson(deps, authorized, writeDeleted(task.taskId));
};

const removeTimeoutMs = 30_000;

/** If the vendor is unreachable or does not have the video, the call does not wait: the video expires there. */
async function removeAtVendor(
  { tasks }: TaskRouteDeps,
  { caller }: AuthorizedRequest,
  task: Task,
): Promise<void> {
  const channel = taskChannel(tasks, task, caller);
  const provider = channel && tasks.provider(channel.type);
  const vendor = provider?.tasks?.video;
  if (!channel || !provider || !vendor?.remove) return;
  const { vendorId, upstreamModel: model, result } = task;
  try {
    const question = await vendor.remove(
      { vendorId, model, result },
      channel,
      tasks.toolsFor(provider, channel),
    );
    await askVendor(tasks, { provider, channel, question, timeoutMs: removeTimeoutMs });
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
  }
}

/** POST /v1/video/generations */
export const createGeneration: TaskHandler = async (deps, authorized) => {
  const { fields, pictures } = await readVideoBody(deps, authorized);
  const task = await submitVideo(deps, authorized, readVideoRequest(fields, pictures));
  answerJson(deps, authorized, writeNewGeneration(shown(deps, authorized, task)));
};

/** GET /v1/video/generations/{id} */
export const readGeneration: TaskHandler = async (deps, authorized) => {
  const task = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  answerJson(deps, authorized, writeGeneration(shown(deps, authorized, task)));
};

import type { IdempotentCalls } from '../../../gateway/index.ts';
import { type AuthorizedRequest, rawCall, readBodyOf } from '../read-call.ts';
import type { TaskCallName } from '../relay-route.ts';
import {
  cancelBatch,
  createBatch,
  createGoogleBatch,
  createMessageBatch,
  deleteBatch,
  listBatches,
  readOneBatch,
  resultsOfBatch,
} from './batches.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';
import {
  fetchDrawing,
  listDrawings,
  notifyDrawing,
  pictureOfDrawing,
  seedOfDrawing,
} from './drawing-read.ts';
import { submitDrawing } from './drawing-submit.ts';
import { contentOfVideo, watchVideo } from './video-content.ts';
import {
  callJimeng,
  createKling,
  createOperation,
  fetchKling,
  fetchOperation,
  readOperation,
} from './video-native.ts';
import {
  createGeneration,
  createVideo,
  deleteVideo,
  listVideos,
  priceVideo,
  readGeneration,
  readVideo,
  remixVideo,
} from './video-openai.ts';
import { fetchSuno, listSuno, submitSuno } from './suno.ts';

export type { TaskRouteDeps } from './deps.ts';

const handlers: Readonly<Record<TaskCallName, TaskHandler>> = {
  'mj-submit': submitDrawing,
  'mj-fetch': fetchDrawing,
  'mj-list': listDrawings,
  'mj-seed': seedOfDrawing,
  'mj-notify': notifyDrawing,
  'mj-image': pictureOfDrawing,
  'suno-submit': submitSuno,
  'suno-fetch': fetchSuno,
  'suno-list': listSuno,
  'video-create': createVideo,
  'video-price': priceVideo,
  'video-list': listVideos,
  'video-read': readVideo,
  'video-delete': deleteVideo,
  'video-content': contentOfVideo,
  'video-watch': watchVideo,
  'video-remix': remixVideo,
  'generation-create': createGeneration,
  'generation-read': readGeneration,
  'kling-create': createKling,
  'kling-read': fetchKling,
  jimeng: callJimeng,
  'veo-create': createOperation,
  'veo-read': readOperation,
  'veo-fetch': fetchOperation,
  'batch-create': createBatch,
  'message-batch-create': createMessageBatch,
  'google-batch-create': createGoogleBatch,
  'batch-list': listBatches,
  'batch-read': readOneBatch,
  'batch-cancel': cancelBatch,
  'batch-delete': deleteBatch,
  'batch-results': resultsOfBatch,
};

/** Answers a call about tasks; throws the refusal. */
export const answerTask: TaskHandler = async (deps, authorized) => {
  const { task } = authorized.matched.route;
  if (!task) throw new Error('a route about tasks does not say what it does');
  await handlers[task](deps, authorized);
};

/** Calls with an Idempotency-Key, and how one that failed is answered and logged. */
interface KeyedTasks {
  calls: Pick<IdempotentCalls, 'serve'>;
  refuse(this: void, authorized: AuthorizedRequest, error: unknown): void;
}

/**
 * Answers a call about tasks that has an Idempotency-Key: a task is begun once, and repetitions get its first answer.
 * Throws the refusals of the key and of the body.
 */
export async function answerKeyedTask(
  deps: TaskRouteDeps,
  authorized: AuthorizedRequest,
  { calls, refuse }: KeyedTasks,
): Promise<void> {
  const body = await readBodyOf(authorized, deps.maxBodyBytes);
  await calls.serve(await rawCall(authorized, body), async ({ res, client, keyed }) => {
    client.open();
    const inside = { ...authorized, body, res, client, keyed };
    try {
      await answerTask(deps, inside);
    } catch (error) {
      refuse(inside, error);
    }
  });
}

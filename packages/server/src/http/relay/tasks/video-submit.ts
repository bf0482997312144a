import { videoFactor, type VideoFacts, videoRateOf } from '@tollgate/contract';
import { quoteTask, submitTask, type TaskOrder } from '../../../gateway/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Provider, VideoRequest, VideoVendor } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import type { TaskRouteDeps } from './deps.ts';

/** A video that is not done after a day has failed. */
const limitMs = 24 * 3_600_000;

/** The parameters of a video, in the usual names of such gateways. */
function actionOf({ remixOf, image, images = [] }: VideoRequest): string {
  if (remixOf !== undefined) return 'remixGenerate';
  if (image) return images.length > 0 ? 'firstTailGenerate' : 'generate';
  return images.length > 0 ? 'referenceGenerate' : 'textGenerate';
}

/** The stored part of a request, without images. */
const shownOf = ({ prompt, quality }: VideoRequest, facts: VideoFacts, origin?: Task): JsonObject => ({
  prompt: prompt.slice(0, 4_000),
  seconds: facts.seconds,
  size: facts.size,
  ...(quality !== undefined && { quality }),
  ...(origin && { remix_of: origin.taskId }),
});

const vendorOf = ({ tasks }: Provider): VideoVendor | undefined => tasks?.video;

/**
 * Makes a video. Its whole price, by the first channel's vendor, is held, and any other vendor that is tried gets a
 * request for exactly that length and size. Throws the error.
 */
export async function submitVideo(
  { tasks }: Pick<TaskRouteDeps, 'tasks'>,
  authorized: AuthorizedRequest,
  video: VideoRequest,
  origin?: Task,
): Promise<Task> {
  authorized.model = video.model;
  const { task } = await submitTask(tasks, authorized, orderOf(video, origin));
  return task;
}

/** The present price of a video, in quota units. Throws the error. */
export const quoteVideo = (
  { tasks }: Pick<TaskRouteDeps, 'tasks'>,
  authorized: AuthorizedRequest,
  video: VideoRequest,
): number => quoteTask(tasks, authorized, orderOf(video)).bill.quota;

function orderOf(video: VideoRequest, origin?: Task): TaskOrder {
  let priced: { vendor: VideoVendor; facts: VideoFacts } | undefined;
  const wantedOf = (vendor: VideoVendor, model: string): VideoRequest => {
    const { facts } = priced ?? {};
    if (!facts || priced?.vendor === vendor) return { ...video, model };
    return { ...video, model, seconds: facts.seconds, size: facts.size };
  };
  return {
    platform: 'video',
    action: actionOf(video),
    model: video.model,
    asked: { model: video.model, prompt: video.prompt, negative_prompt: video.negativePrompt ?? '' },
    request: { prompt: video.prompt.slice(0, 4_000) },
    ...(origin && { channelId: origin.channelId, keyId: origin.bill.keyId }),
    mayFailOver: true,
    isRateCounted: true,
    limitMs,
    refusal({ provider, upstreamModel }) {
      const vendor = vendorOf(provider);
      return vendor?.refuses?.(wantedOf(vendor, upstreamModel));
    },
    measure({ provider, upstreamModel }) {
      const vendor = vendorOf(provider);
      if (!vendor) return {};
      const facts = vendor.facts({ ...video, model: upstreamModel });
      priced = { vendor, facts };
      return {
        extras: { calls: 1, factor: videoFactor(video.model, facts) },
        // If every video costs the same, a shorter one is not refunded.
        ...(videoRateOf(video.model) && { seconds: facts.seconds }),
        request: shownOf(video, facts, origin),
      };
    },
    ask({ provider, channel, tools, upstreamModel }) {
      const vendor = vendorOf(provider);
      if (!vendor) return undefined;
      const wanted = wantedOf(vendor, upstreamModel);
      return {
        question: vendor.submit(wanted, channel, tools),
        read: (status, body) => vendor.readSubmit(status, body, wanted),
      };
    },
  };
}

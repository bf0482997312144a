import { ApiError } from '../../../lib/api/api-error.ts';
import { readButtons, fetchProgress, type TaskProgress } from './calls.ts';
import type { Output, Work } from './works.ts';

/** Polling interval of a task, in ms. */
const pollMs = 2_000;

/** A polled task. */
interface FollowedTask {
  platform: 'mj' | 'task';
  kind: 'video' | 'drawing' | 'song' | 'lyrics';
  id: string;
}

/** Polls a task until it is finished or `signal` aborts; outages do not end the polling. */
export async function followTask(
  task: FollowedTask,
  report: (change: Partial<Work>) => void,
  signal: AbortSignal,
): Promise<void> {
  let charged = 0;
  while (!signal.aborted) {
    const progress = await poll(task);
    if (progress) {
      charged = Math.max(charged, progress.quota);
      const money = { charged, refunded: charged - progress.quota };
      if (progress.status === 'FAILURE')
        return report({ ...money, status: 'failed', reason: progress.reason });
      if (progress.status === 'SUCCESS') {
        const buttons = task.kind === 'drawing' ? await readButtons(task.id) : [];
        return report({
          ...money,
          status: 'done',
          progress: 100,
          outputs: outputsOf(task, progress),
          buttons,
        });
      }
      report({
        ...money,
        progress: progress.progress,
        ...(progress.picture && { outputs: outputsOf(task, progress) }),
      });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function poll({ platform, id }: FollowedTask): Promise<TaskProgress | undefined> {
  try {
    return await fetchProgress(platform, id);
  } catch (error) {
    // The task continues on the server; only the end of the session ends the polling.
    if (error instanceof ApiError && error.status !== 401) return undefined;
    throw error;
  }
}

/** The outputs of a task, by its kind. */
function outputsOf({ kind, id }: FollowedTask, { picture, data }: TaskProgress): Output[] {
  if (kind === 'video') {
    return [{ type: 'video', url: `/pg/videos/${encodeURIComponent(id)}/content`, name: `${id}.mp4` }];
  }
  if (kind === 'drawing') return picture === '' ? [] : [{ type: 'image', url: picture, name: `${id}.png` }];
  if (kind === 'lyrics') return [{ type: 'text', url: textIn(data, 'text'), name: '' }];
  const clips: unknown[] = Array.isArray(data) ? data : [];
  return clips.flatMap((clip): Output[] => {
    const url = textIn(clip, 'audio_url');
    return url === '' ? [] : [{ type: 'audio', url, name: `${textIn(clip, 'title') || id}.mp3` }];
  });
}

const textIn = (value: unknown, name: string): string => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : '';
  return typeof found === 'string' ? found : '';
};

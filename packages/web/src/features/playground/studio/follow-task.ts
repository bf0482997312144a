import { ApiError } from '../../../lib/api/api-error.ts';
import { buttonsOf, newsOf, type TaskNews } from './calls.ts';
import type { Output, Work } from './works.ts';

/** Between two looks at a task, in ms. */
const pauseMs = 2_000;

/** A task that is waited for. */
interface Followed {
  platform: 'mj' | 'task';
  kind: 'video' | 'drawing' | 'song' | 'lyrics';
  id: string;
}

/** Looks at a task until it is over, or nobody waits any more. An outage on the way is waited out. */
export async function followTask(
  task: Followed,
  report: (change: Partial<Work>) => void,
  signal: AbortSignal,
): Promise<void> {
  let charged = 0;
  while (!signal.aborted) {
    const news = await look(task);
    if (news) {
      charged = Math.max(charged, news.quota);
      const money = { charged, refunded: charged - news.quota };
      if (news.status === 'FAILURE') return report({ ...money, status: 'failed', reason: news.reason });
      if (news.status === 'SUCCESS') {
        const buttons = task.kind === 'drawing' ? await buttonsOf(task.id) : [];
        return report({ ...money, status: 'done', progress: 100, outputs: outputsOf(task, news), buttons });
      }
      report({ ...money, progress: news.progress, ...(news.picture && { outputs: outputsOf(task, news) }) });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function look({ platform, id }: Followed): Promise<TaskNews | undefined> {
  try {
    return await newsOf(platform, id);
  } catch (error) {
    // The task goes on by itself; only the end of the session ends the waiting.
    if (error instanceof ApiError && error.status !== 401) return undefined;
    throw error;
  }
}

/** What a task made, by its kind. */
function outputsOf({ kind, id }: Followed, { picture, data }: TaskNews): Output[] {
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

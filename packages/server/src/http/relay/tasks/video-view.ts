import { textOf } from '../../../lib/json.ts';
import type { VideoView } from '../../../relay/tasks/callers/index.ts';
import { refuse } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import type { TaskRouteDeps } from './deps.ts';

export const isVideo = ({ platform }: Pick<Task, 'platform'>): boolean => platform === 'video';

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** A task in the format of a video for callers. Its bytes are at this site, for every vendor. */
export function viewOf(task: Task, serverAddress: string): VideoView {
  const { request } = task;
  const made = Number(request.seconds);
  return {
    id: task.taskId,
    model: task.model,
    action: task.action,
    state: task.state,
    progress: task.progress,
    submittedAt: seconds(task.submitTime),
    startedAt: seconds(task.startTime),
    finishedAt: seconds(task.finishTime),
    prompt: textOf(request.prompt),
    ...(made > 0 && { seconds: made }),
    ...(textOf(request.size) !== '' && { size: textOf(request.size) }),
    ...(textOf(request.remix_of) !== '' && { remixOf: textOf(request.remix_of) }),
    reason: task.reason,
    url: `${serverAddress}/v1/videos/${task.taskId}/content`,
  };
}

const notThere = () => refuse('task_not_found', {}, { status: 404 });

/** The caller's own video with that id; throws (404) if it does not exist or has another owner. */
export async function ownVideo(
  { tasks }: Pick<TaskRouteDeps, 'tasks'>,
  { caller }: AuthorizedRequest,
  id: string,
): Promise<Task> {
  const task = await tasks.tasks.findOwn(caller.userId, id);
  if (!task || !isVideo(task)) throw notThere();
  return task;
}

/** The video of that id, of any owner; throws (404) if there is none. */
export async function anyVideo({ tasks }: Pick<TaskRouteDeps, 'tasks'>, id: string): Promise<Task> {
  const task = await tasks.tasks.find(id);
  if (!task || !isVideo(task)) throw notThere();
  return task;
}

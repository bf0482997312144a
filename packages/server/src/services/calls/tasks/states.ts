import type { TaskState } from '../../../relay/types/index.ts';

/**
 * The allowed next states of each state. A vendor may report an earlier state (from running to waiting). A final state
 * is never left, so that money moves at most once for each task.
 */
export const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitting: ['submitted', 'queued', 'in_progress', 'succeeded', 'failed'],
  submitted: ['submitted', 'queued', 'in_progress', 'succeeded', 'failed'],
  queued: ['submitted', 'queued', 'in_progress', 'succeeded', 'failed'],
  in_progress: ['submitted', 'queued', 'in_progress', 'succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export const states = Object.keys(moves) as TaskState[];

/** True for final states. */
export const isOver = (state: TaskState): boolean => moves[state].length === 0;

/** States in which the vendor has accepted the task and not finished it. */
export const runningStates = states.filter((state) => state !== 'submitting' && !isOver(state));

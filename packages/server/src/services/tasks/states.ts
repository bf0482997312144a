import type { TaskState } from '../../relay/types/index.ts';

/**
 * Where a task may go from each state. A vendor that goes back (from at work to waiting) is believed; what is over stays
 * over, so that money moves at most once for each task.
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

/** True for states that nothing follows. */
export const isOver = (state: TaskState): boolean => moves[state].length === 0;

/** States in which the vendor has taken the task and not finished it. */
export const runningStates = states.filter((state) => state !== 'submitting' && !isOver(state));

import type { Log } from '../lib/log.ts';

/** A recurring job. */
export interface Job {
  name: string;
  /** Pause between the end of one run and the start of the next, in ms. */
  everyMs: number;
  run(): Promise<void>;
}

export interface JobRunner {
  /** Ends all pauses and waits for running jobs. */
  stop(): Promise<void>;
}

/**
 * Runs each job repeatedly, never twice at once. A run that fails is logged and repeated after the pause: no job may
 * bring the process down.
 */
export function startJobs(jobs: readonly Job[], log: Log): JobRunner {
  let stopped = false;
  const timers = new Set<NodeJS.Timeout>();
  const runs = new Set<Promise<void>>();

  const runOnce = async (job: Job): Promise<void> => {
    try {
      await job.run();
    } catch (error) {
      log.error({ job: job.name, err: error }, 'a job failed');
    }
  };
  const plan = (job: Job): void => {
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const run = runOnce(job).finally(() => {
        runs.delete(run);
        plan(job);
      });
      runs.add(run);
    }, job.everyMs);
    timer.unref();
    timers.add(timer);
  };
  for (const job of jobs) plan(job);

  return {
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(runs);
    },
  };
}

import type { MakeJob } from './parts.ts';

/** Asks vendors what became of the tasks that are due. */
export const pollTasks: MakeJob<'poller'> = ({ poller }) => ({
  name: 'poll-tasks',
  everyMs: 3_000,
  run: () => poller.run(),
});

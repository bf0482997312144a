import type { MakeJob } from './parts.ts';

/** Polls vendors for the tasks that are due. */
export const pollTasks: MakeJob<'poller'> = ({ poller }) => ({
  name: 'poll-tasks',
  everyMs: 3_000,
  run: () => poller.run(),
});

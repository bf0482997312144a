import { expect } from 'vitest';
import type { GatewayHarness } from './gateway-harness.ts';

type PolledGate = Pick<GatewayHarness, 'core' | 'relay'>;

/** Makes all open tasks due, and polls them. */
export async function pollTasks({ core, relay }: PolledGate): Promise<void> {
  await core.store.db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();
  await relay.house.poller.run();
}

/** Polls all open tasks, and waits until none is open. */
export async function endTasks(gate: PolledGate): Promise<void> {
  await pollTasks(gate);
  const open = () =>
    gate.core.store.db.selectFrom('tasks').select('id').where('finish_time', '=', 0).execute();
  await expect.poll(open).toEqual([]);
}

/** The row of a task, by the id that its caller has. */
export const taskRow = ({ core }: PolledGate, id: string) =>
  core.store.db.selectFrom('tasks').selectAll().where('task_id', '=', id).executeTakeFirstOrThrow();

/** The log rows of charges, in order. */
export const chargeRows = ({ core }: PolledGate) =>
  core.store.db.selectFrom('logs').selectAll().where('type', '=', 2).orderBy('id').execute();

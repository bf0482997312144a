import { type JsonObject, parseObject } from '../../../lib/json.ts';
import type { TaskState } from '../../../relay/types/index.ts';
import type { tasks } from '../../../store/index.ts';
import type { Task, TaskBill, TaskPlatform } from './types.ts';

/** Converts a row to a task. This service wrote it, so its shape is known. */
export const taskOf = (row: tasks.TaskRow): Task => ({
  id: row.id,
  taskId: row.task_id,
  platform: row.platform as TaskPlatform,
  action: row.action,
  userId: row.user_id,
  channelId: row.channel_id,
  model: row.model,
  upstreamModel: row.upstream_model,
  vendorId: row.vendor_id,
  state: row.state as TaskState,
  vendorStatus: row.vendor_status,
  progress: row.progress,
  quota: row.quota,
  requestId: row.request_id,
  bill: JSON.parse(row.bill) as TaskBill,
  request: jsonOf(row.request),
  result: jsonOf(row.result),
  reason: row.reason,
  submitTime: row.submit_time,
  startTime: row.start_time,
  finishTime: row.finish_time,
  pollFailures: row.poll_failures,
  deadline: row.deadline,
});

const jsonOf = (text: string): JsonObject => parseObject(text) ?? {};

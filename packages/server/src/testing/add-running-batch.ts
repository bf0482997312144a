import { type Db, tasks } from '../store/index.ts';

/** Adds a running batch of a user, without items or money, and returns its row's id. */
export const addRunningBatch = (db: Db, user_id: number, username: string): Promise<number> =>
  tasks.create(db, {
    task_id: `batch_of_${username}`,
    platform: 'batch',
    action: 'openai',
    user_id,
    team_id: 0,
    channel_id: 0,
    model: 'gpt-4o-mini',
    upstream_model: 'gpt-4o-mini',
    vendor_id: 'batch_1',
    state: 'in_progress',
    vendor_status: 'in_progress',
    progress: 20,
    quota: 0,
    request_id: `batch-of-${username}`,
    bill: JSON.stringify({ username }),
    request: JSON.stringify({ endpoint: '/v1/chat/completions', requests: 250 }),
    result: JSON.stringify({
      batch: { status: 'in_progress', request_counts: { total: 250, completed: 50, failed: 0 } },
    }),
    reason: '',
    node: '',
    submit_time: 1,
    start_time: 1,
    finish_time: 0,
    next_poll: 9_999_999_999_999,
    poll_failures: 0,
    deadline: 9_999_999_999_999,
  });

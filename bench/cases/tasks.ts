import { product } from '@tollgate/contract';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../parts/gateway.ts';
import { cpuNs, residentBytes } from '../parts/process.ts';

/** Cost of open tasks for an otherwise idle process. */
export interface OpenTasks {
  count: number;
  /** Share of a core, beyond that of a process without tasks. */
  coreShare: number;
  /** Resident memory beyond that of a process without tasks. */
  bytes: number;
  /** Tasks polled per second. */
  askedPerSecond: number;
}

/** Half of the tasks are drawings, half are songs. Vendors of songs report many tasks in one answer. */
const kinds = [
  { type: 2, platform: 'mj', action: 'IMAGINE', model: 'mj_imagine' },
  { type: 36, platform: 'suno', action: 'MUSIC', model: 'suno_music' },
] as const;

/** A fake vendor with all tasks in progress. */
export interface BusyVendor {
  url: string;
  /** Number of tasks in its reports. */
  reported: () => number;
  close(): void;
}

const taskOf = (id: string) => ({
  id,
  task_id: id,
  action: 'IMAGINE',
  prompt: 'a lighthouse in a storm, in oil, with many gulls around it and a small boat that comes home',
  promptEn: 'a lighthouse in a storm, in oil, with many gulls around it and a small boat that comes home',
  submitTime: 1_700_000_000_000,
  startTime: 1_700_000_001_000,
  finishTime: null,
  imageUrl: null,
  status: 'IN_PROGRESS',
  progress: '0%',
  failReason: null,
  properties: { finalPrompt: 'a lighthouse in a storm --v 6.1 --ar 16:9', botType: 'MID_JOURNEY' },
});

/** Starts it on a free port in this process; the time of this process is not counted. */
export async function startBusyVendor(): Promise<BusyVendor> {
  let reported = 0;
  const server: Server = createServer((req, res) => {
    void text(req).then((body) => {
      const { ids } = JSON.parse(body) as { ids: string[] };
      reported += ids.length;
      const tasks = ids.map(taskOf);
      const answer = req.url === '/suno/fetch' ? { code: 'success', data: tasks } : tasks;
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, reported: () => reported, close: () => server.close() };
}

/** Channels of the vendor, one for each kind of task. */
export async function addTaskChannels(gateway: Gateway, vendor: BusyVendor): Promise<void> {
  for (const { type, model } of kinds) {
    const channel = { type, name: model, key: 'k', base_url: vendor.url, models: model, group: 'default' };
    await gateway.call('POST', '/api/channel/', channel);
  }
}

/**
 * Writes open tasks into the database of a stopped gateway, as if they had been submitted a minute ago: vendors are then
 * polled every 15 s, and after ten minutes less often. Each has the bill and the request of a real one.
 */
function seedTasks(dataDir: string, count: number): void {
  const db = new DatabaseSync(join(dataDir, `${product.id}.db`));
  const snapshot = { mode: 'call', modelPrice: 0.1, groupRatio: 1, quotaPerUnit: 500_000, modelRatio: 0 };
  const bill = { username: 'root', tokenId: 1, tokenName: 'bench', team: null, group: 'default', snapshot };
  const now = Date.now();
  for (const { type, platform, action, model } of kinds) {
    const channel = db.prepare('select id from channels where type = ?').get(type)?.['id'];
    db.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into tasks (task_id, platform, action, user_id, team_id, channel_id, model, upstream_model, vendor_id, state,
         vendor_status, progress, quota, request_id, bill, request, result, reason, node, submit_time, start_time,
         finish_time, next_poll, poll_failures, deadline)
       select 'task_' || ? || i, ?, ?, 1, 0, ?, ?, ?, 'vendor-' || i, 'in_progress', 'IN_PROGRESS', 0, 50000, 'r' || ? || i,
         ?, ?, '{}', '', 'bench', ?, ?, 0, ? + i % 15000, 0, ?
       from n`,
    ).run(
      Math.floor(count / kinds.length),
      platform,
      platform,
      action,
      Number(channel),
      model,
      model,
      platform,
      JSON.stringify({ ...bill, extras: { calls: 1 }, settledAt: Math.floor(now / 1_000) }),
      JSON.stringify({ prompt: taskOf('').prompt }),
      now - 60_000,
      now - 60_000,
      now,
      now + 3_600_000,
    );
  }
  db.close();
}

const windowSeconds = 45;

/** Share of a core and resident memory of an idle process. */
async function idle({ pids }: Gateway): Promise<{ share: number; bytes: number }> {
  await sleep(40_000);
  const before = cpuNs(pids);
  await sleep(windowSeconds * 1_000);
  return { share: (cpuNs(pids) - before) / 1e9 / windowSeconds, bytes: residentBytes(pids) };
}

/** Compares a process with open tasks to one without; `restart` starts it again with the written tasks. */
export async function runOpenTasks(
  count: number,
  vendor: BusyVendor,
  restart: (before: () => void) => Promise<Gateway>,
): Promise<OpenTasks> {
  const without = await restart(() => undefined);
  const alone = await idle(without);
  const gateway = await restart(() => seedTasks(without.dataDir, count));
  const reported = vendor.reported();
  const startedAt = Date.now();
  const busy = await idle(gateway);
  const seconds = (Date.now() - startedAt) / 1_000;
  return {
    count,
    coreShare: busy.share - alone.share,
    bytes: busy.bytes - alone.bytes,
    askedPerSecond: (vendor.reported() - reported) / seconds,
  };
}

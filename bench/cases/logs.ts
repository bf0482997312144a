import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLogHours } from '../../packages/server/src/services/logs/index.ts';
import { openStore } from '../../packages/server/src/store/index.ts';
import type { Gateway } from '../parts/gateway.ts';
import { median } from '../parts/subject.ts';

/** How long the log's pages took, in milliseconds from the call to its answer, medians of five. */
export interface LogPages {
  rows: number;
  seedSeconds: number;
  ms: Record<string, number>;
}

const day = 86_400;

/**
 * Fills the log of a stopped gateway with `rows` rows of the last 90 days: 500 users, 40 models, 20 channels,
 * in order of time as real rows come. One statement, so that ten million take minutes and not hours.
 */
export function seedLog(dataDir: string, rows: number): number {
  const startedAt = performance.now();
  const db = new DatabaseSync(join(dataDir, 'tollgate.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -200000');
  const now = Math.floor(Date.now() / 1_000);
  db.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into logs (user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
       completion_tokens, use_time, is_stream, channel_id, token_id, "group", other, request_id)
     select i * 7919 % 500 + 1, ? - cast((? - i) * (90.0 * ${day} / ?) as integer), 2, '',
       'user' || (i * 7919 % 500 + 1), 'token' || (i % 3), 'model-' || (i * 104729 % 40), i % 900, i % 2000, i % 700,
       i % 30, i % 2, i * 31 % 20 + 1, i * 7919 % 500 + 1, 'default',
       '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"cache_tokens":0}', 'seed' || i
     from n`,
  ).run(rows, now, rows, rows);
  db.exec('analyze; pragma wal_checkpoint(truncate)');
  db.close();
  return (performance.now() - startedAt) / 1_000;
}

/** Sums up the hours of a stopped gateway's log, as it does by itself within minutes. */
export async function sumLog(dataDir: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${join(dataDir, 'tollgate.db')}` });
  await createLogHours({ db: store.db, reports: store.reports, clock: Date.now }).work(Infinity);
  await store.close();
}

/** The calls an administrator's log page makes. */
function pages(rows: number): Record<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  const today = `start_timestamp=${now - day}&end_timestamp=${now + day}`;
  return {
    'first page': '/api/log/?p=1&page_size=100',
    'page 100': '/api/log/?p=100&page_size=100',
    'last page': `/api/log/?p=${Math.floor(rows / 100)}&page_size=100`,
    // The one user of a fresh gateway is the first of those whose rows were written.
    'one user': '/api/log/?p=1&page_size=100&username=root',
    'a name of nobody': '/api/log/?p=1&page_size=100&username=user77x',
    'one model': '/api/log/?p=1&page_size=100&model_name=model-7',
    'one channel': '/api/log/?p=1&page_size=100&channel=5',
    'today, one model': `/api/log/?p=1&page_size=100&model_name=model-7&${today}`,
    'a request id': `/api/log/?p=1&page_size=100&request_id=seed${Math.floor(rows / 2)}`,
    'sums of today': `/api/log/stat?type=2&${today}`,
    'sums of all': '/api/log/stat?type=2',
    'sums of one user': '/api/log/stat?type=2&username=root',
    'sums of one model': '/api/log/stat?type=2&model_name=model-7',
    // Every second of the first user's rows is of this model.
    'one user, one model': '/api/log/?p=1&page_size=100&username=root&model_name=model-0',
    'sums of one user, one model': '/api/log/stat?type=2&username=root&model_name=model-0',
    'sums of one key name': '/api/log/stat?type=2&token_name=token1',
  };
}

/** Times the log's pages through the gateway's own calls. */
export async function runLogPages(gateway: Gateway, rows: number, seedSeconds: number): Promise<LogPages> {
  const ms: Record<string, number> = {};
  for (const [name, path] of Object.entries(pages(rows))) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const startedAt = performance.now();
      await gateway.call('GET', path);
      times.push(performance.now() - startedAt);
    }
    ms[name] = Math.round(median(times) * 10) / 10;
  }
  return { rows, seedSeconds, ms };
}

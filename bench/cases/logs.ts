import { loadavg } from 'node:os';
import { logHourMarks, openStore } from '../../packages/server/src/store/index.ts';
import type { BenchDatabase, DatabaseName } from '../parts/database.ts';
import type { Gateway } from '../parts/gateway.ts';
import type { Seeded } from '../parts/log-seed.ts';
import { cpuNs } from '../parts/process.ts';
import { median } from '../parts/subject.ts';
import type { Retention } from './retention.ts';

/** Duration of the log's pages, in milliseconds from the call to its answer. */
export interface LogPages {
  database: DatabaseName;
  seeded: Seeded;
  summed: Measured;
  /** The same while the newest minutes have this number of rows that are not in any sums yet. */
  busy: Measured & { rows: number; seconds: number };
  retention: Retention;
}

interface Measured {
  /** Load of the machine when the pages were asked for. */
  load: number;
  ms: Record<string, PageMs>;
}

/** Of all rounds. Other load on the machine is part of the times. */
export interface PageMs {
  median: number;
  least: number;
  /** Processor time of gateway and database for one page. */
  cpu: number;
}

const rounds = 9;
const day = 86_400;
const nobody = 'a name of nobody';

/** The calls of the log page: for administrators, and for every user (`own`). */
function pages(rows: number): Record<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  const today = `start_timestamp=${now - day}&end_timestamp=${now + day}`;
  return {
    'first page': '/api/log/?p=1&page_size=100',
    'page 100': '/api/log/?p=100&page_size=100',
    'last page': `/api/log/?p=${Math.floor(rows / 100)}&page_size=100`,
    // The only user of a new gateway is the first user of the written rows.
    'one user': '/api/log/?p=1&page_size=100&username=root',
    [nobody]: '/api/log/?p=1&page_size=100&username=user77x',
    'one model': '/api/log/?p=1&page_size=100&model_name=model-7',
    'one channel': '/api/log/?p=1&page_size=100&channel=5',
    'today, one model': `/api/log/?p=1&page_size=100&model_name=model-7&${today}`,
    'a request id': `/api/log/?p=1&page_size=100&request_id=seed${Math.floor(rows / 2)}`,
    'sums of today': `/api/log/stat?type=2&${today}`,
    'sums of all': '/api/log/stat?type=2',
    'sums of one user': '/api/log/stat?type=2&username=root',
    'sums of one model': '/api/log/stat?type=2&model_name=model-7',
    // A quarter of the first user's rows has this model, but none of the many rows of the last hour.
    'one user, one model': '/api/log/?p=1&page_size=100&username=root&model_name=model-0',
    'sums of one user, one model': '/api/log/stat?type=2&username=root&model_name=model-0',
    'one user, a model of others': '/api/log/?p=1&page_size=100&username=root&model_name=model-7',
    'sums of one key name': '/api/log/stat?type=2&token_name=token1',
    own: '/api/log/self/?p=1&page_size=100',
    'own, last page': `/api/log/self/?p=${Math.floor(rows / 50_000)}&page_size=100`,
    'own, one model': '/api/log/self/?p=1&page_size=100&model_name=model-0',
    'own, today': `/api/log/self/?p=1&page_size=100&${today}`,
    'own sums': '/api/log/self/stat?type=2',
    'own sums of today': `/api/log/self/stat?type=2&${today}`,
    'own sums of one model': '/api/log/self/stat?type=2&model_name=model-0',
  };
}

/** Nanoseconds that processes have used so far; those of a database server may have ended meanwhile. */
function usedBy(pids: readonly number[]): Map<number, number> {
  const used = new Map<number, number>();
  for (const pid of pids)
    try {
      used.set(pid, cpuNs([pid]));
    } catch {
      continue;
    }
  return used;
}

/** A gateway and the database behind it. */
interface Measurable {
  gateway: Gateway;
  database: Pick<BenchDatabase, 'pids' | 'url'>;
}

/** Measures one page. `before` runs before each call; the processor time includes it, the duration does not. */
async function timePage(
  { gateway, database }: Measurable,
  path: string,
  before: () => Promise<unknown> = async () => {},
): Promise<PageMs> {
  // The first call opens connections and reads from the disk.
  await gateway.call('GET', path);
  const pids = () => [...gateway.pids, ...database.pids()];
  const used = usedBy(pids());
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await before();
    const startedAt = performance.now();
    await gateway.call('GET', path);
    times.push(performance.now() - startedAt);
  }
  let cpu = 0;
  for (const [pid, now] of usedBy(pids())) cpu += now - (used.get(pid) ?? 0);
  return { median: median(times), least: Math.min(...times), cpu: cpu / rounds / 1e6 };
}

/** Times the log's pages through the gateway's own calls. */
export async function timePages(subject: Measurable, rows: number): Promise<Measured> {
  const ms: Record<string, PageMs> = {};
  const load = loadavg()[0] ?? 0;
  for (const [name, path] of Object.entries(pages(rows))) ms[name] = await timePage(subject, path);
  // The affected hours stay marked for half a minute after a deletion.
  const store = await openStore({ url: subject.database.url });
  const oldest = (await logHourMarks.nextHour(store.db, 0)) ?? 0;
  const mark = () => logHourMarks.mark(store.db, [oldest]);
  ms[`${nobody}, after a deletion`] = await timePage(subject, pages(rows)[nobody]!, mark);
  await store.close();
  return { load, ms };
}

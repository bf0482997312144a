import { loadavg } from 'node:os';
import type { BenchDatabase, DatabaseName } from '../parts/database.ts';
import type { Gateway } from '../parts/gateway.ts';
import type { Seeded } from '../parts/log-seed.ts';
import { cpuNs } from '../parts/process.ts';
import { median } from '../parts/subject.ts';
import type { Retention } from './retention.ts';

/** How long the log's pages took, in milliseconds from the call to its answer. */
export interface LogPages {
  database: DatabaseName;
  seeded: Seeded;
  /** Load of the machine when they were asked for. */
  load: number;
  ms: Record<string, PageMs>;
  /** Absent before it was measured. */
  retention?: Retention;
}

/** Of all rounds. Where others use the machine, the times are theirs as well. */
interface PageMs {
  median: number;
  least: number;
  /** Processor time of gateway and database for one. */
  cpu: number;
}

const rounds = 9;
const day = 86_400;

/** The calls of the log page, for administrators and, as `own`, for everybody. */
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
    // A quarter of the first user's rows is of this model, and none of its many in the last hour.
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

/** Times the log's pages through the gateway's own calls. */
export async function runLogPages(
  gateway: Gateway,
  database: Pick<BenchDatabase, 'name' | 'pids'>,
  seeded: Seeded,
): Promise<LogPages> {
  const ms: Record<string, PageMs> = {};
  const load = loadavg()[0] ?? 0;
  for (const [name, path] of Object.entries(pages(seeded.rows))) {
    // A first one opens connections and reads what is on the disk.
    await gateway.call('GET', path);
    const before = usedBy([...gateway.pids, ...database.pids()]);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      await gateway.call('GET', path);
      times.push(performance.now() - startedAt);
    }
    const after = usedBy([...gateway.pids, ...database.pids()]);
    let cpu = 0;
    for (const [pid, used] of after) cpu += used - (before.get(pid) ?? 0);
    ms[name] = { median: median(times), least: Math.min(...times), cpu: cpu / rounds / 1e6 };
  }
  return { database: database.name, seeded, load, ms };
}

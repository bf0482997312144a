import { randomBytes } from 'node:crypto';
import { type BenchDatabase, type DatabaseName, startDatabase } from '../parts/database.ts';
import { addCustomers, type Gateway, startGateway } from '../parts/gateway.ts';
import type { Loader } from '../parts/load.ts';
import { childrenOf, freePorts } from '../parts/process.ts';
import { limitEachTo } from '../parts/share.ts';
import { runThroughput, type Throughput, throughputCases } from './throughput.ts';

/** Calls per second and processor time per call, all processes of Tollgate together, by the number of workers. */
export interface WorkersCost {
  /** Share of a core of each process; absent if all processes share all cores. */
  share?: number;
  /** By the id of the case, then by the number of workers; 1 is the one process without any. */
  cases: Record<string, Record<string, Throughput>>;
}

const measured = ['json', 'once'];
/** Concurrent calls that need more than one core. */
const connections = 128;
/** Users who pay the calls in turn: a payer's row is locked for each commit, and a site has many payers. */
const customers = 8;
/** SQLite serves one process. */
const workerCounts = (database: DatabaseName) => (database === 'sqlite' ? [1] : [1, 2, 4]);

/**
 * Measures gateways that differ only in their number of processes, in turns, on all cores of the machine. With `share`,
 * each process has exclusive use of that share of a core.
 */
export async function runWorkers(
  loader: Loader,
  place: { folder: string; upstream: number },
  windows: number,
  share: number | undefined,
  database: DatabaseName,
): Promise<WorkersCost> {
  const gateways: Gateway[] = [];
  const servers: BenchDatabase[] = [];
  for (const count of workerCounts(database)) {
    const server = database === 'sqlite' ? undefined : await startDatabase(database, place.folder);
    if (server) servers.push(server);
    const gateway = await startGateway({
      name: String(count),
      folder: place.folder,
      port: await freePorts(1),
      upstream: { host: 'http://127.0.0.1', port: place.upstream },
      env: {
        ...(count > 1 && { WORKERS: String(count) }),
        ...(server && { SQL_DSN: server.url, SECRET_KEY: randomBytes(32).toString('hex') }),
      },
    });
    const first = gateway.running.pid;
    const keysFile = await addCustomers(gateway, customers);
    gateways.push({ ...gateway, keysFile, pids: [first, ...childrenOf(first)] });
  }
  const unlimited =
    share === undefined
      ? undefined
      : limitEachTo(
          share,
          gateways.flatMap(({ pids }) => pids),
        );
  const cost: WorkersCost = { cases: {}, ...(share !== undefined && { share }) };
  for (const row of throughputCases.filter(({ id }) => measured.includes(id)))
    cost.cases[row.id] = await runThroughput(loader, gateways, { ...row, connections }, windows);
  for (const { running } of gateways) await running.stop();
  for (const server of servers) await server.stop();
  unlimited?.();
  return cost;
}

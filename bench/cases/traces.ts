import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../parts/gateway.ts';
import type { Loader } from '../parts/load.ts';
import { median } from '../parts/subject.ts';
import { runThroughput, type Throughput, throughputCases } from './throughput.ts';

/** Processor time of a call without traces, with a tenth of the calls traced, and with all of them. */
export interface TraceCost {
  /** By the id of the case, then by the gateway's name. */
  cases: Record<string, Record<string, Throughput>>;
  /** Relative cost of a call: median over the rounds of the ratio between its window and the window without traces. */
  share: Record<string, Record<string, number>>;
}

const measured = ['json', 'once'];

/** The compared gateways; the first one traces nothing. */
export const tracedGateways: readonly { name: string; env: Record<string, string> }[] = [
  { name: 'off', env: {} },
  { name: 'tenth', env: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' } },
  { name: 'all', env: { OTEL_TRACES_SAMPLER: 'always_on', OTEL_BSP_MAX_QUEUE_SIZE: '20000' } },
];

/** Starts a collector that accepts everything; returns its address. */
export async function startCollector(): Promise<{ url: string; close(): void }> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** Measures gateways that differ only in their traces, in turns. */
export async function runTraces(
  loader: Loader,
  gateways: readonly Gateway[],
  windows: number,
): Promise<TraceCost> {
  const cost: TraceCost = { cases: {}, share: {} };
  for (const row of throughputCases.filter(({ id }) => measured.includes(id))) {
    const found = await runThroughput(loader, gateways, row, windows);
    const without = found['off']!.windows;
    cost.cases[row.id] = found;
    cost.share[row.id] = Object.fromEntries(
      Object.entries(found).map(([name, { windows: list }]) => [
        name,
        median(list.map((cpuUs, round) => cpuUs / without[round]! - 1)),
      ]),
    );
  }
  return cost;
}

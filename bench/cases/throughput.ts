import type { Loader, LoadResult } from '../parts/load.ts';
import { cpuNs } from '../parts/process.ts';
import { median, type Subject, type UpstreamMode } from '../parts/subject.ts';

/** One row of the table: a kind of request, and its number per window. */
export interface ThroughputCase {
  id: string;
  label: string;
  mode: UpstreamMode;
  bodyBytes: number;
  connections: number;
  /** Requests of a window. */
  requests: number;
  /** Requests before the first window. */
  warmUp: number;
}

export const throughputCases: readonly ThroughputCase[] = [
  {
    id: 'json',
    label: 'JSON 300 B → 600 B',
    mode: 'json',
    bodyBytes: 300,
    connections: 32,
    requests: 15_000,
    warmUp: 5_000,
  },
  {
    id: 'json32k',
    label: 'JSON 32 KB in',
    mode: 'json',
    bodyBytes: 32 * 1024,
    connections: 32,
    requests: 8_000,
    warmUp: 5_000,
  },
  {
    id: 'once',
    label: 'SSE, 100 chunks at once',
    mode: 'once',
    bodyBytes: 300,
    connections: 32,
    requests: 8_000,
    warmUp: 5_000,
  },
  {
    id: 'paced',
    label: 'SSE, 100 chunks, 7.5 ms apart',
    mode: 'paced',
    bodyBytes: 300,
    connections: 100,
    requests: 400,
    warmUp: 200,
  },
];

/** Results of a subject in one case, medians over its windows. */
export interface Throughput {
  cpuUsPerRequest: number;
  requestsPerSecond: number;
  /** Of each window, in order. */
  windows: number[];
}

interface Window {
  cpuUs: number;
  perSecond: number;
}

async function measure(loader: Loader, subject: Subject, row: ThroughputCase): Promise<Window> {
  const body = loader.body(row.mode, row.bodyBytes, 'chat', subject);
  const before = cpuNs(subject.pids);
  const result: LoadResult = await loader.run(subject, row.mode, body, row);
  const cpuUs = (cpuNs(subject.pids) - before) / 1_000 / result.answered;
  return { cpuUs, perSecond: result.answered / result.seconds };
}

/**
 * Processor time per request of each subject. The subjects take turns, window by window, so that other load on the
 * machine affects all of them alike.
 */
export async function runThroughput(
  loader: Loader,
  subjects: readonly Subject[],
  row: ThroughputCase,
  windowCount: number,
): Promise<Record<string, Throughput>> {
  const windows = new Map<string, Window[]>(subjects.map(({ name }) => [name, []]));
  for (const subject of subjects) {
    const body = loader.body(row.mode, row.bodyBytes, 'chat', subject);
    await loader.run(subject, row.mode, body, { connections: row.connections, requests: row.warmUp });
  }
  for (let round = 0; round < windowCount; round += 1) {
    for (const subject of subjects) {
      windows.get(subject.name)?.push(await measure(loader, subject, row));
    }
  }
  return Object.fromEntries(
    [...windows].map(([name, list]) => [
      name,
      {
        cpuUsPerRequest: median(list.map(({ cpuUs }) => cpuUs)),
        requestsPerSecond: median(list.map(({ perSecond }) => perSecond)),
        windows: list.map(({ cpuUs }) => Math.round(cpuUs * 10) / 10),
      },
    ]),
  );
}

import type { Loader, LoadResult } from '../parts/load.ts';
import { median, type Subject } from '../parts/subject.ts';

/** Milliseconds from the scheduled time of a request. */
export interface Latency {
  /** To the first byte of its answer's body. */
  first: Percentiles;
  /** To the end of its answer. */
  end: Percentiles;
}

export interface Percentiles {
  p50Ms: number;
  p99Ms: number;
}

/** Cases with a fixed rate: an upstream that answers at once, and one with a delay of 200 ms, twice. */
export const latencyModes = ['json', 'thinking'] as const;
export type LatencyMode = (typeof latencyModes)[number];

/** Sends small calls at a fixed rate that does not depend on the answers. Subjects take turns as in the other cases. */
export async function runLatency(
  loader: Loader,
  subjects: readonly Subject[],
  mode: LatencyMode,
  options: { rate: number; seconds: number; windows: number },
): Promise<Record<string, Latency>> {
  const bodyOf = (subject: Subject) => loader.body(mode, 300, 'chat', subject);
  const seen = new Map<string, LoadResult[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < options.windows; round += 1) {
    for (const subject of subjects) {
      // More connections than concurrent calls, so that no call waits for another.
      const shape = { connections: 256, rate: options.rate, seconds: options.seconds };
      seen.get(subject.name)?.push(await loader.run(subject, mode, bodyOf(subject), shape));
    }
  }
  return Object.fromEntries(
    [...seen].map(([name, list]) => [
      name,
      {
        first: medianOf(list.map(({ firstUs }) => firstUs)),
        end: medianOf(list.map(({ totalUs }) => totalUs)),
      },
    ]),
  );
}

const medianOf = (list: readonly { p50: number; p99: number }[]): Percentiles => ({
  p50Ms: median(list.map(({ p50 }) => p50)) / 1_000,
  p99Ms: median(list.map(({ p99 }) => p99)) / 1_000,
});

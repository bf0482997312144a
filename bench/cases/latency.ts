import type { Loader } from '../parts/load.ts';
import { median, type Subject } from '../parts/subject.ts';

/** Milliseconds from when a request was due to the end of its answer. */
export interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** A fixed rate of small JSON calls, whether or not answers come; subjects take turns as in the other cases. */
export async function runLatency(
  loader: Loader,
  subjects: readonly Subject[],
  options: { rate: number; seconds: number; windows: number },
): Promise<Record<string, Latency>> {
  const body = loader.body('json', 300);
  const seen = new Map<string, Latency[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < options.windows; round += 1) {
    for (const subject of subjects) {
      const shape = { connections: 64, rate: options.rate, seconds: options.seconds };
      const { totalUs } = await loader.run(subject, 'json', body, shape);
      seen.get(subject.name)?.push({ p50Ms: totalUs.p50 / 1_000, p99Ms: totalUs.p99 / 1_000 });
    }
  }
  return Object.fromEntries(
    [...seen].map(([name, list]) => [
      name,
      {
        p50Ms: median(list.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(list.map(({ p99Ms }) => p99Ms)),
      },
    ]),
  );
}

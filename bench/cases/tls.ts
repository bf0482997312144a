import type { Loader } from '../parts/load.ts';
import type { Subject } from '../parts/subject.ts';
import { type OpenStreams, runStreams, warmUpForStreams } from './streams.ts';
import { runThroughput, type Throughput, throughputCases } from './throughput.ts';

/** Cost of calls to an upstream over TLS, by the names of the subjects. */
export interface TlsCosts {
  streams: number;
  open: Record<string, OpenStreams>;
  throughput: Record<string, Record<string, Throughput>>;
}

export const tlsCases = throughputCases.filter(({ id }) => id === 'json' || id === 'once' || id === 'paced');

interface Options {
  streams: number;
  windows: number;
  say: (text: string) => void;
}

/** Measures open streams and calls of the subjects, which take turns as in the other cases. */
export async function runTls(
  loader: Loader,
  subjects: readonly Subject[],
  { streams, windows, say }: Options,
): Promise<TlsCosts> {
  const open: TlsCosts['open'] = {};
  for (const subject of subjects) {
    say(`${streams} open streams, TLS: ${subject.name} …`);
    await warmUpForStreams(loader, subject);
    open[subject.name] = await runStreams(loader, subject, streams);
  }
  const throughput: TlsCosts['throughput'] = {};
  for (const row of tlsCases) {
    say(`${row.label}, TLS …`);
    throughput[row.id] = await runThroughput(loader, subjects, row, windows);
  }
  return { streams, open, throughput };
}

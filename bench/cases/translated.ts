import { type Protocol, protocols } from '../parts/protocols.ts';
import type { Loader } from '../parts/load.ts';
import { cpuNs } from '../parts/process.ts';
import { median, type StreamMode, streams, type Subject } from '../parts/subject.ts';

/** Chunks of one answer of the upstreams that stream at once. */
const chunks = 100;
const requests = 3_000;
const connections = 32;

const names = Object.keys(protocols) as Protocol[];
const modes = Object.keys(streams) as StreamMode[];

/** Processor time per event, by the upstream's stream and the caller's protocol. */
export type Translated = Record<StreamMode, Record<Protocol, number>>;

/**
 * Cost of translation: each stream to callers of each protocol, in turns, window by window. One of the protocols
 * needs no translation.
 */
export async function runTranslated(
  loader: Loader,
  gateway: Subject,
  windowCount: number,
): Promise<Translated> {
  const costs = {} as Translated;
  for (const mode of modes) costs[mode] = await runStream(loader, gateway, mode, windowCount);
  return costs;
}

async function runStream(
  loader: Loader,
  gateway: Subject,
  mode: StreamMode,
  windowCount: number,
): Promise<Record<Protocol, number>> {
  const bodies = new Map(names.map((name) => [name, loader.body(mode, 300, name)]));
  const measure = async (name: Protocol): Promise<number> => {
    const before = cpuNs(gateway.pids);
    const shape = { connections, requests };
    const { answered } = await loader.run(gateway, mode, bodies.get(name)!, shape, name);
    return (cpuNs(gateway.pids) - before) / 1_000 / answered / chunks;
  };
  const windows = new Map<Protocol, number[]>(names.map((name) => [name, []]));
  for (const name of names) await measure(name);
  for (let round = 0; round < windowCount; round += 1) {
    for (const name of names) windows.get(name)!.push(await measure(name));
  }
  return Object.fromEntries(names.map((name) => [name, median(windows.get(name)!)])) as Record<
    Protocol,
    number
  >;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Loader } from '../parts/load.ts';
import { cpuNs, residentBytes } from '../parts/process.ts';
import type { Subject } from '../parts/subject.ts';

/** What open, slow streams cost a subject. */
export interface OpenStreams {
  bytesPerStream: number;
  /** Resident memory with all streams open. */
  totalBytes: number;
  /** Processor time per event that passed, while each stream brought one event in each period. */
  cpuUsPerEvent: number;
}

/**
 * Opens `count` streams of one event every `periodSeconds` and looks at the memory once they have run for a while.
 */
export async function runStreams(
  loader: Loader,
  subject: Subject,
  count: number,
  periodSeconds = 1,
): Promise<OpenStreams> {
  const body = loader.body('slow', 300);
  // What is loaded once, such as the words of a tokeniser, is no stream's own: a few streams bring it in before.
  const first = await loader.hold(subject, body, 50, 30);
  await sleep(4_000);
  await first.stop();
  await sleep(1_000);
  const before = residentBytes(subject.pids);
  const held = await loader.hold(subject, body, count, 100);
  await sleep(5_000);
  const cpuBefore = cpuNs(subject.pids);
  const seconds = 4 * Math.ceil(periodSeconds / 4);
  await sleep(seconds * 1_000);
  const cpuUsPerEvent = (cpuNs(subject.pids) - cpuBefore) / 1_000 / ((count * seconds) / periodSeconds);
  const totalBytes = residentBytes(subject.pids);
  await held.stop();
  await sleep(1_000);
  return { bytesPerStream: (totalBytes - before) / count, totalBytes, cpuUsPerEvent };
}

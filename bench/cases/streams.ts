import { setTimeout as sleep } from 'node:timers/promises';
import type { Loader } from '../parts/load.ts';
import { cpuNs, residentBytes } from '../parts/process.ts';
import type { Subject } from '../parts/subject.ts';

/** Cost of open, slow streams for a subject. */
export interface OpenStreams {
  bytesPerStream: number;
  /** Resident memory with all streams open. */
  totalBytes: number;
  /** Processor time per event, at one event per stream and period. */
  cpuUsPerEvent: number;
}

/**
 * Loads everything that is loaded once and does not belong to a single stream: the vocabulary of a tokeniser with a few streams, the
 * checkpoint thread of the WAL with 200 commits, and the reader thread of the log's job, which runs twice a minute.
 */
export async function warmUpForStreams(loader: Loader, subject: Subject): Promise<void> {
  await loader.run(subject, 'json', loader.body('json', 300, 'chat', subject), {
    connections: 1,
    requests: 300,
  });
  const few = await loader.hold(subject, loader.body('slow', 300, 'chat', subject), 50, 60);
  await sleep(35_000);
  await few.stop();
  await sleep(1_000);
}

/**
 * Opens `count` streams of one event every `periodSeconds` and reads the memory after they have run for a while.
 * The subject must be warmed up.
 */
export async function runStreams(
  loader: Loader,
  subject: Subject,
  count: number,
  periodSeconds = 1,
): Promise<OpenStreams> {
  const body = loader.body('slow', 300, 'chat', subject);
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledServer, type Gateway, serverFile } from '../parts/gateway.ts';
import { nodeFlags, residentBytes, type Running, start } from '../parts/process.ts';
import { median, modelOf } from '../parts/subject.ts';

/** Resident memory of one idle process, and its time until the first answer. */
interface Started {
  /** From the start of the process to the end of the first call's answer; null if it answers no calls. */
  firstAnswerMs: number | null;
  /** Resident memory, including memory shared with other processes of the same program. */
  residentBytes: number;
  /** Proportional resident memory: shared memory is divided among the processes that share it. */
  ownBytes: number;
}

export type StartCost = Record<string, Started>;

/** Idle time of a process before its memory is read. */
const idleMs = 10_000;
/** Interval of calls until the first answer. The result is too high by half of it on average. */
const pauseMs = 5;

/**
 * Starts a gateway with an existing set-up repeatedly, and an empty Node process for comparison: from its sources, and from the
 * bundle that `npm start` and the archive run, without and with Node's compile cache. Medians over the rounds.
 */
export async function runStart(gateway: Gateway, rounds: number): Promise<StartCost> {
  await gateway.running.stop();
  const kept = { NODE_COMPILE_CACHE: join(gateway.dataDir, 'compiled') };
  const bundle = bundledServer();
  // The first start with a compile cache fills it.
  for (const file of [serverFile, bundle]) await startOnce(gateway, { env: kept, idle: 0, file });
  const found: Record<string, Started[]> = { node: [], sources: [], first: [], gateway: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.node!.push(await idleNode());
    found.sources!.push(await startOnce(gateway, { env: kept, file: serverFile }));
    found.first!.push(await startOnce(gateway, { file: bundle }));
    found.gateway!.push(await startOnce(gateway, { env: kept, file: bundle }));
  }
  return Object.fromEntries(Object.entries(found).map(([name, all]) => [name, medianOf(all)]));
}

const medianOf = (all: readonly Started[]): Started => {
  const times = all.flatMap(({ firstAnswerMs }) => firstAnswerMs ?? []);
  return {
    firstAnswerMs: times.length === 0 ? null : median(times),
    residentBytes: median(all.map((each) => each.residentBytes)),
    ownBytes: median(all.map((each) => each.ownBytes)),
  };
};

async function idleNode(): Promise<Started> {
  const running = start(process.execPath, [...nodeFlags, '-e', 'setInterval(() => {}, 60_000)']);
  return afterIdling(running, null, idleMs);
}

interface Start {
  file: string;
  env?: Record<string, string>;
  /** Ms. */
  idle?: number;
}

async function startOnce(gateway: Gateway, { file, env = {}, idle = idleMs }: Start): Promise<Started> {
  const before = performance.now();
  const running = start(process.execPath, [...nodeFlags, file], {
    env: { ...env, PORT: String(gateway.port('json')), DATA_DIR: gateway.dataDir, NODE_ENV: 'production' },
  });
  while (!(await isAnswered(gateway))) {
    if (running.child.exitCode !== null) throw new Error(`the gateway did not start:\n${running.printed()}`);
    await sleep(pauseMs);
  }
  return afterIdling(running, performance.now() - before, idle);
}

async function afterIdling(running: Running, firstAnswerMs: number | null, idle: number): Promise<Started> {
  await sleep(idle);
  const smaps = readFileSync(`/proc/${running.pid}/smaps_rollup`, 'utf8');
  const ownBytes = Number(/^Pss:\s+(\d+) kB/m.exec(smaps)?.[1] ?? 0) * 1024;
  const resident = residentBytes([running.pid]);
  await running.stop();
  return { firstAnswerMs, residentBytes: resident, ownBytes };
}

/** One small call. */
async function isAnswered(gateway: Gateway): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port('json')}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: modelOf.json, messages: [{ role: 'user', content: 'hello' }] }),
  }).catch(() => null);
  await answer?.text();
  return answer?.ok ?? false;
}

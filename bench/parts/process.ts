import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const flagsFile = join(import.meta.dirname, '../../tools/node-flags.json');

/** Node's flags of the server (tools/run.mjs); the floors beside it get the same. */
export const nodeFlags = JSON.parse(readFileSync(flagsFile, 'utf8')) as readonly string[];

/** A child process of the bench. It ends with the bench, however the bench ends. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves with the first line of its output that contains `part`; rejects when it ends before that. */
  line(part: string, timeoutMs: number): Promise<string>;
  /** Its output and errors so far, at most the last 8 KB. */
  printed(): string;
  /** Sends SIGTERM and waits; after ten seconds it is killed. */
  stop(): Promise<void>;
}

const children = new Set<ChildProcessWithoutNullStreams>();
process.on('exit', () => {
  // SIGTERM, because a killed nginx master would leave its workers running.
  for (const child of children) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** Starts a program, on one core of the machine when `core` is given and the system can pin. */
export function start(
  command: string,
  args: readonly string[],
  options: { core?: number; env?: Record<string, string>; cwd?: string } = {},
): Running {
  const pinned = options.core !== undefined && hasTaskset;
  const child = spawn(
    pinned ? 'taskset' : command,
    pinned ? ['-c', String(options.core), command, ...args] : args,
    { env: { ...process.env, ...options.env }, ...(options.cwd ? { cwd: options.cwd } : {}), stdio: 'pipe' },
  );
  children.add(child);
  let printed = '';
  const hear = (text: string) => {
    printed = `${printed}${text}\n`.slice(-8_192);
  };
  const watchers = new Set<(line: string) => void>();
  createInterface(child.stdout).on('line', (line) => {
    hear(line);
    for (const watcher of watchers) watcher(line);
  });
  createInterface(child.stderr).on('line', hear);
  child.stdin.on('error', () => {}); // The child may end before it has read its input.
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      hear(String(error));
      resolve();
    });
    child.once('exit', () => resolve());
  }).then(() => void children.delete(child));
  return {
    pid: child.pid ?? 0,
    child,
    printed: () => printed,
    line: async (part, timeoutMs) => {
      const found = new Promise<string>((resolve) => {
        watchers.add((line) => {
          if (line.includes(part)) resolve(line);
        });
      });
      const timer = new AbortController();
      const late = sleep(timeoutMs, undefined, { signal: timer.signal });
      const first = await Promise.race([found, ended, late]);
      timer.abort();
      await late.catch(() => undefined);
      if (first === undefined) throw new Error(`${command} did not say "${part}"; it said:\n${printed}`);
      return first;
    },
    stop: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Nanoseconds of processor time that all threads of the processes have used so far. */
export function cpuNs(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return sum;
}

/** Resident memory of the processes in bytes. */
export function residentBytes(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    sum += Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** The processes that `pid` has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** A port of this machine with `count` free ones in a row, found by listening once. */
export async function freePorts(count: number): Promise<number> {
  const { createServer } = await import('node:net');
  const isFree = (port: number) =>
    new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
  // Two benches that search at the same time must not find the same ports, so each starts elsewhere.
  const first = Math.floor(Math.random() * 100);
  for (let tries = 0; tries < 100; tries += 1) {
    const base = 21_000 + ((first + tries) % 100) * 100;
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(base + index)));
    if (free.every(Boolean)) return base;
  }
  throw new Error('no free ports');
}

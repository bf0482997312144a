import { execFileSync, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Tollgate in its own process, from the bundle that `npm start` runs. */
export interface Child {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** Signal that killed it, or one of its workers. It replaces a killed worker. */
  readonly struck: Promise<Ending['signal']>;
  kill(signal: NodeJS.Signals): void;
  /** Ids of its running child processes. */
  workers(): number[];
  /** The last lines it wrote. */
  printed(): string;
}

/** The process ended before it listened: it refused to start, or was killed during recovery. */
export class EndedEarly extends Error {
  readonly ending: Ending;

  constructor(ending: Ending, printed: string) {
    super(`the process ended before it was ready (${ending.signal ?? ending.code}): ${printed}`);
    this.name = 'EndedEarly';
    this.ending = ending;
  }
}

/** Ids of the running child processes of a process. */
function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, parent, state]) => Number(parent) === pid && !state?.startsWith('Z'))
    .map(([id]) => Number(id));
}

const bundler = fileURLToPath(new URL('../../../../../tools/bundle.mjs', import.meta.url));
let server: string | undefined;

/** The bundle of the current sources: dozens of starts compile one file, not a thousand. */
const bundledServer = (): string =>
  (server ??= execFileSync(process.execPath, [bundler], { encoding: 'utf8' }).trim());

const startWithinMs = 600_000;

/** Running children of this process; none may outlive it. */
const running = new Set<{ kill(signal: NodeJS.Signals): boolean }>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts Tollgate on a free port and resolves when it is ready. Throws EndedEarly. */
export async function startChild(env: Record<string, string>): Promise<Child> {
  const child = spawn(process.execPath, [bundledServer()], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      // Dozens of starts read the same file.
      NODE_COMPILE_CACHE: join(tmpdir(), 'tollgate-campaign-modules'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let printed = '';
  const ready = Promise.withResolvers<string>();
  const struck = Promise.withResolvers<Ending['signal']>();
  const hear = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-8_000);
    const port = /ready at http:\/\/[^:]+:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) ready.resolve(`http://127.0.0.1:${port}`);
    if (/"how":"SIGKILL","msg":"a worker ended/.test(printed)) struck.resolve('SIGKILL');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  void ended.then((ending) => {
    ready.reject(new EndedEarly(ending, printed));
    struck.resolve(ending.signal);
  });
  const late = setTimeout(() => child.kill('SIGKILL'), startWithinMs);
  try {
    const url = await ready.promise;
    return {
      url,
      pid: child.pid!,
      ended,
      struck: struck.promise,
      kill: (signal) => void child.kill(signal),
      workers: () => childrenOf(child.pid!),
      printed: () => printed,
    };
  } finally {
    clearTimeout(late);
  }
}

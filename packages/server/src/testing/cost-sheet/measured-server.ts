import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/**
 * Disables recurring jobs and timeouts of a second or more. On a busy machine a slow call could overlap with a job, and
 * the measurement would include the job's work.
 */
const withoutJobs = `
  for (const name of ['setTimeout', 'setInterval']) {
    const original = globalThis[name];
    const later = (run, ms, ...given) => original(run, ms >= 1_000 ? 2 ** 30 : ms, ...given);
    globalThis[name] = Object.defineProperties(later, Object.getOwnPropertyDescriptors(original));
  }`;

/**
 * Runs only bytecode, because allocations of compiled code depend on the time of compilation. No garbage collection runs
 * during the measurement of a kind of call, and no code is discarded.
 */
const flags = [
  `--import=data:text/javascript,${encodeURIComponent(withoutJobs)}`,
  '--inspect=127.0.0.1:0',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--no-flush-bytecode',
  '--no-lazy-feedback-allocation',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
];

/** Counts the process's SQL statements. */
const counters = `
  globalThis.statements = 0;
  const { DatabaseSync, StatementSync } = process.getBuiltinModule('node:sqlite');
  const count = (target, name, counts = () => true) => {
    const original = target[name];
    target[name] = function (...given) {
      if (counts(...given)) statements += 1;
      return original.apply(this, given);
    };
  };
  for (const name of ['run', 'all', 'get', 'iterate']) count(StatementSync.prototype, name);
  count(DatabaseSync.prototype, 'exec', (sql) => !/^(begin|commit|rollback)/i.test(sql));`;

/** Totals of a process since its start. */
interface Reading {
  statements: number;
  /** Used V8 heap, including garbage. */
  heapBytes: number;
  wal: Wal;
}

/** SQLite's appended data since the last restart of the WAL. */
interface Wal {
  /** Changes at each restart of the WAL. */
  generation: number;
  commits: number;
  bytes: number;
}

/**
 * Reads the WAL's frames of this generation. The last frame of a commit has the database size in its header
 * (sqlite.org/fileformat.html).
 */
function readWal(path: string): Wal {
  const file = readFileSync(path);
  const frameBytes = 24 + file.readUInt32BE(8);
  const generation = file.readUInt32BE(16);
  let commits = 0;
  let end = 32;
  for (; end + frameBytes <= file.length; end += frameBytes) {
    if (file.readUInt32BE(end + 8) !== generation) break;
    if (file.readUInt32BE(end + 4) !== 0) commits += 1;
  }
  return { generation, commits, bytes: end - 32 };
}

/** Difference between two readings; undefined if the WAL restarted or a garbage collection ran in between. */
export function difference(before: Reading, after: Reading) {
  const heapBytes = after.heapBytes - before.heapBytes;
  if (before.wal.generation !== after.wal.generation || heapBytes < 0) return undefined;
  return {
    statements: after.statements - before.statements,
    commits: after.wal.commits - before.wal.commits,
    walBytes: after.wal.bytes - before.wal.bytes,
    heapBytes,
  };
}

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { count: number; startOffset: number }[] }[];
  }[];
}

/** The server from its sources in a separate process, with measurements through V8's inspector. */
export class MeasuredServer {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly socket: WebSocket;
  private readonly walPath: string;
  private asked = 0;

  private constructor(child: ChildProcess, socket: WebSocket, url: string, walPath: string) {
    this.child = child;
    this.socket = socket;
    this.url = url;
    this.walPath = walPath;
  }

  /** Starts it on a free port. If it ends before it is ready, throws an error with its output. */
  static async start(env: Record<string, string>, dataDir: string): Promise<MeasuredServer> {
    const child = spawn(process.execPath, [...flags, join(root, 'packages/server/src/main.ts'), '--port=0'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    const { promise: ready, resolve, reject } = Promise.withResolvers<[inspector: string, url: string]>();
    const hear = (piece: Buffer): void => {
      printed += piece.toString();
      const inspector = /Debugger listening on (ws:\S+)/.exec(printed)?.[1];
      const url = /ready at (http:\/\/[^\s#/]+)/.exec(printed)?.[1];
      if (inspector !== undefined && url !== undefined) resolve([inspector, url]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(`the server did not start:\n${printed}`)));
    const [inspector, url] = await ready;
    const socket = new WebSocket(inspector);
    await once(socket, 'open');
    const server = new MeasuredServer(child, socket, url, join(dataDir, 'tollgate.db-wal'));
    await server.evaluate(counters);
    await server.ask('Profiler.enable');
    await server.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return server;
  }

  private async ask(method: string, params: object = {}): Promise<object> {
    const id = (this.asked += 1);
    const answer = new Promise<object>((resolve) => {
      const hear = ({ data }: MessageEvent): void => {
        const message = JSON.parse(String(data)) as { id?: number; result: object };
        if (message.id !== id) return;
        this.socket.removeEventListener('message', hear);
        resolve(message.result);
      };
      this.socket.addEventListener('message', hear);
    });
    this.socket.send(JSON.stringify({ id, method, params }));
    return answer;
  }

  private async evaluate(expression: string): Promise<unknown> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const answer = (await this.ask('Runtime.evaluate', params)) as { result: { value?: unknown } };
    return answer.result.value;
  }

  /** Lets the server complete its work after a call's commit. */
  async settle(): Promise<void> {
    await this.evaluate('new Promise((resolve) => setImmediate(() => setImmediate(resolve)))');
  }

  async read(): Promise<Reading> {
    const statements = Number(await this.evaluate('statements'));
    const { usedSize } = (await this.ask('Runtime.getHeapUsage')) as { usedSize: number };
    return { statements, heapBytes: usedSize, wal: readWal(this.walPath) };
  }

  /** Empties the whole young generation. */
  async collectGarbage(): Promise<void> {
    await this.ask('HeapProfiler.collectGarbage');
  }

  /** Functions of the repository's files that ran since the last call, as `file#function@offset`. */
  async takeFunctions(): Promise<Set<string>> {
    const { result } = (await this.ask('Profiler.takePreciseCoverage')) as Coverage;
    return new Set(
      result.flatMap(({ url, functions }) => {
        const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
        if (!file.startsWith('packages/')) return [];
        return functions
          .filter(({ ranges }) => ranges[0]!.count > 0)
          .map(({ functionName, ranges }) => `${file}#${functionName}@${ranges[0]!.startOffset}`);
      }),
    );
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

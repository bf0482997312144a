/** @module-tag deep */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../packages/server/src/store/index.ts';
import {
  type CrashableServer,
  hasEmbeddedPostgres,
  startPostgres,
} from '../packages/server/src/testing/databases.ts';
import { hasProgram, type Printed, readPrinted, setUp } from './support/first-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-socket-'));
const main = join(import.meta.dirname, '../packages/server/src/main.ts');
const units = join(import.meta.dirname, 'systemd');

/** Restarts the server whenever it ends, with the same socket and the current configuration, as systemd does. */
const supervise = `
while [ ! -e stop ]; do
  export WORKERS=$(cat workers)
  sh -c 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$1"' "$NODE" "$MAIN"
  echo ended $?
done`;

let database: CrashableServer;
let supervisor: ChildProcess;
let printed: Printed;
let url: string;
let key: string;

/** Makes one call; returns its status, or the name of the error. */
function call(agent: Agent | false, stream: boolean): Promise<number | string> {
  const body = JSON.stringify({ model: 'sandbox', stream, messages: [{ role: 'user', content: 'hello' }] });
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.on('response', (answer) => {
      answer.on('error', () => resolve('broken off'));
      answer.on('end', () => resolve(answer.statusCode ?? 0)).resume();
    });
    sent.end(body);
  });
}

/** Number of workers after each restart: one process without workers, two workers, and two again. */
const restarts = ['1', '2', '2'];

/** Number of restarts that were requested and are done. */
const ended = (): number => printed.text().split('ended 0').length - 1;

describe.skipIf(!hasEmbeddedPostgres())('a restart behind a socket that somebody else holds', () => {
  beforeAll(async () => {
    database = await startPostgres();
    writeFileSync(join(folder, 'workers'), '1');
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { fd } = (holder as unknown as { _handle: { fd: number } })._handle;
    supervisor = spawn('sh', ['-c', supervise], {
      cwd: folder,
      detached: true,
      env: {
        PATH: process.env.PATH,
        NODE: process.execPath,
        MAIN: main,
        DATA_DIR: folder,
        DATABASE_URL: database.url,
        SECRET_KEY: 'k'.repeat(32),
        DRAIN_SECONDS: '60',
        LOG_LEVEL: 'info',
      },
      stdio: ['ignore', 'pipe', 'pipe', fd],
    });
    // The supervisor has the socket now; this process must not accept connections from it.
    holder.close();
    printed = readPrinted(supervisor.stdout!, supervisor.stderr!);
    url = `http://127.0.0.1:${port}`;
    const [, token] = await printed.match(/#token=(\S+)/);
    await printed.match(/Tollgate is ready/);
    key = await setUp(url, token!);
  }, 60_000);

  afterAll(async () => {
    if (supervisor.pid && supervisor.exitCode === null) process.kill(-supervisor.pid, 'SIGKILL');
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses nobody: calls wait, streams end, and each answered call stands in the log once', async () => {
    let isOver = false;
    const results: (number | string)[] = [];
    const client = async (agent: Agent | false, stream: boolean): Promise<void> => {
      while (!isOver) results.push(await call(agent, stream));
    };
    const agent = new Agent({ keepAlive: true });
    const clients = [false, true].flatMap((stream) => [client(agent, stream), client(false, stream)]);
    for (const [done, workers] of restarts.entries()) {
      writeFileSync(join(folder, 'workers'), workers);
      const before = results.length;
      await expect.poll(() => results.length).toBeGreaterThan(before + 20);
      process.kill(serverPid(), 'SIGTERM');
      await expect.poll(ended).toBe(done + 1);
      const gone = results.length;
      await expect.poll(() => results.length).toBeGreaterThan(gone + 20);
    }
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
    expect(results.filter((each) => each !== 200)).toEqual([]);
    expect(printed.text().match(/"worker":1,.*"a worker listens"/g)).toHaveLength(2);

    writeFileSync(join(folder, 'stop'), '');
    process.kill(serverPid(), 'SIGTERM');
    await once(supervisor, 'exit');
    expect(ended()).toBe(restarts.length + 1);
    const store = await openStore({ url: database.url });
    const rows = await store.db.selectFrom('logs').select('id').where('type', '=', 2).execute();
    await store.close();
    expect(rows).toHaveLength(results.length);
  }, 120_000);
});

/** The child of the supervisor that serves at present. */
function serverPid(): number {
  const found = spawnSync('sh', ['-c', `cat /proc/${supervisor.pid}/task/${supervisor.pid}/children`]);
  return Number(found.stdout.toString().trim().split(' ')[0]);
}

describe('the units', () => {
  it.skipIf(!hasProgram('systemd-analyze'))('are valid units for systemd (systemd-analyze)', () => {
    const files = ['tollgate.socket', 'tollgate.service'].map((name) => join(units, name));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
      encoding: 'utf8',
    });
    const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('tollgate'));
    // The program itself is not installed on the machine of this check.
    expect(complaints.filter((line) => !line.includes('/opt/tollgate/bin/tollgate'))).toEqual([]);
  });
});

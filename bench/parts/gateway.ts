import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags, start, type Running } from './process.ts';
import { modelOf, type Subject, streams, upstreamPorts, type UpstreamMode } from './subject.ts';

const root = join(import.meta.dirname, '..', '..');

/** Starts the sources of this tree. */
export const serverFile = join(root, 'packages/server/src/main.ts');

/** True if the server is in this tree. */
export const hasGateway = (): boolean => existsSync(serverFile);

/** The bundle that `npm start` and the archive run, of a tree's sources as they are. */
export function bundledServer(tree = root): string {
  const made = spawnSync(process.execPath, [join(tree, 'tools/bundle.mjs')], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`the server could not be bundled:\n${made.stderr}`);
  // Trees of an earlier version print nothing.
  return made.stdout.trim() || join(tree, 'packages/server/dist/main.js');
}

/** The gateway as a child process, called like by a browser and by API clients. */
export interface Gateway extends Subject {
  readonly running: Running;
  readonly dataDir: string;
  /** A console call as the root user; answers `data`. Throws with the message when it is refused. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
}

interface Options {
  /** Also the name of its data folder, within `folder`. */
  name: string;
  folder: string;
  port: number;
  /** Scheme and name of the upstream, and its first port. */
  upstream: { host: string; port: number };
  /** Its only core; absent for all cores. */
  core?: number;
  env?: Record<string, string>;
  /** A different checkout. */
  tree?: string;
  /** File for a profile of the gateway's processor time; '' for none. */
  profile?: string;
}

/** The type of a vendor (01.AI) that copies OpenAI's chat and speaks no other chat protocol. */
const chatOnlyType = 31;
/** Types of vendors who speak another protocol than OpenAI (1). */
const typeOf: Partial<Record<UpstreamMode, number>> = { messages: 14, gemini: 24 };

const account = { username: 'root', password: 'bench-password-1' };

interface Envelope {
  success: boolean;
  message: string;
  data: unknown;
}

/** Console calls over HTTP, with the cookie of the session and the header that names the user. */
class Console {
  private readonly origin: string;
  private cookie = '';
  private userId = '';

  constructor(port: number) {
    this.origin = `http://127.0.0.1:${port}`;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(this.origin + path, {
      method,
      headers: {
        'content-type': 'application/json',
        origin: this.origin,
        ...(this.cookie ? { cookie: this.cookie, 'new-api-user': this.userId } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    if (cookies.length > 0) this.cookie = cookies.join('; ');
    const text = await answer.text();
    const envelope = JSON.parse(text) as Envelope;
    if (!envelope.success) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return envelope.data as T;
  }

  async logIn(person = account): Promise<void> {
    const user = await this.call<{ id: number }>('POST', '/api/user/login', person);
    this.userId = String(user.id);
  }

  /** The new key of the person who is logged in, without a limit of its own. */
  async addKey(): Promise<string> {
    const { key } = await this.call<{ key: string }>('POST', '/api/token/', {
      name: 'bench',
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: true,
    });
    return key.startsWith('sk-') ? key : `sk-${key}`;
  }
}

async function waitUntilReady(port: number, running: Running): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/status`).catch(() => null);
    // The last line of a start's output; the set-up link is before it.
    if (answer?.ok && running.printed().includes('ready at')) return;
    if (running.child.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error(`the gateway did not start:\n${running.printed()}`);
}

async function setUp(console: Console, upstream: Options['upstream'], printed: string): Promise<void> {
  const token = /#token=(\w+)/.exec(printed)?.[1];
  await console.call('POST', '/api/setup', { ...account, confirmPassword: account.password, token });
  await console.logIn();
  const addChannel = (type: number, mode: UpstreamMode, models: string) =>
    console.call('POST', '/api/channel/', {
      type,
      name: `bench ${models}`,
      key: 'sk-bench',
      base_url: `${upstream.host}:${upstream.port + upstreamPorts[mode]}`,
      models,
      group: 'default',
    });
  for (const mode of Object.keys(upstreamPorts) as UpstreamMode[])
    await addChannel(typeOf[mode] ?? 1, mode, modelOf[mode]);
  await addChannel(chatOnlyType, 'once', streams.once.translated);
  await addChannel(chatOnlyType, 'padded', streams.padded.translated);
}

/**
 * Starts the server as `npm start` does, with every feature enabled and a separate data folder, and sets it up through its own
 * calls: root user, a channel for each mode of the upstream, a token. If the folder has a set-up already, it only logs in.
 */
export async function startGateway({
  name,
  folder,
  port,
  upstream,
  core,
  env = {},
  tree = root,
  profile = '',
}: Options): Promise<Gateway> {
  const dataDir = join(folder, name);
  const isNew = !existsSync(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const profiling = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const running = start(process.execPath, [...nodeFlags, ...profiling, bundledServer(tree)], {
    ...(core !== undefined && { core }),
    cwd: folder,
    env: { ...env, PORT: String(port), DATA_DIR: dataDir, NODE_ENV: 'production' },
  });
  await waitUntilReady(port, running);
  const console = new Console(port);
  if (isNew) await setUp(console, upstream, running.printed());
  else await console.logIn();
  return {
    name,
    key: await console.addKey(),
    port: () => port,
    pids: [running.pid],
    running,
    dataDir,
    call: (method, path, body) => console.call(method, path, body),
  };
}

/** Adds users with a balance of their own, and writes a key of each to a file, which it returns. */
export async function addCustomers(gateway: Gateway, count: number): Promise<string> {
  await gateway.call('PUT', '/api/option/', { key: 'QuotaForNewUser', value: '1000000000' });
  const keys: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const person = { username: `customer${number}`, password: account.password };
    await gateway.call('POST', '/api/user/', { ...person, display_name: person.username });
    const session = new Console(gateway.port('json'));
    await session.logIn(person);
    keys.push(await session.addKey());
  }
  const file = join(gateway.dataDir, 'keys.txt');
  writeFileSync(file, `${keys.join('\n')}\n`);
  return file;
}

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkBills } from './bills.ts';

const root = join(import.meta.dirname, '../..');

/** A running gateway with its own database. */
export interface Site {
  url: string;
  /** Token after `/setup#token=` in the link that the server printed; '' for a site that is set up. */
  setupToken: string;
  /** Folder of its database. */
  folder: string;
  /** ID of its process. */
  pid: number;
  /** Stops it and leaves its database unchanged. */
  stop: () => Promise<void>;
  /** Stops it and recomputes every charge in its log; throws if one differs. */
  close: () => Promise<void>;
}

let bundle = '';

/** The bundle that `npm start` runs, made if the sources changed before this process started its first site. */
function bundledServer(): string {
  bundle ||= execFileSync(process.execPath, [join(root, 'tools/bundle.mjs')], { encoding: 'utf8' }).trim();
  return bundle;
}

/** Time limit of a start, in ms: it migrates an empty database. */
const startMs = 50_000;

/** Waits for the line with the address, which is the last line; the output until then explains a failure. */
function readStart(child: ChildProcess): Promise<Pick<Site, 'url' | 'setupToken'>> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) => reject(new Error(`${why}\n${printed}`));
    const timer = setTimeout(() => fail('the server did not start in time'), startMs);
    const listen = (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /ready at (http:\/\/\S+)/.exec(printed);
      if (!found?.[1]) return;
      clearTimeout(timer);
      resolve({ url: found[1], setupToken: /#token=(\w+)/.exec(printed)?.[1] ?? '' });
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('exit', (code) => fail(`the server ended with ${code}`));
  });
}

/** One browser opens in seconds the pages that a person opens in an hour; other tests cover the limits by address. */
const withoutLimits = {
  GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
  GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
  CRITICAL_RATE_LIMIT_ENABLE: 'false',
};

/**
 * Starts the real server on a fresh SQLite database and any free port.
 *
 * @param settings - environment variables in addition to the usual ones
 * @param folder - folder of a stopped site, to start it again
 */
export async function startSite(
  settings: Record<string, string> = {},
  folder = mkdtempSync(join(tmpdir(), 'e2e-')),
): Promise<Site> {
  if (!existsSync(join(root, 'packages/web/dist/index.html')))
    throw new Error('the console is not built: run "npm run build" first');
  const server = bundledServer();
  const child = spawn(process.execPath, [server], {
    cwd: root,
    env: {
      ...withoutLimits,
      ...settings,
      PATH: process.env.PATH,
      // Every journey starts the same program.
      NODE_COMPILE_CACHE: join(dirname(server), 'compiled'),
      DATA_DIR: folder,
      PORT: '0',
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  return {
    ...(await readStart(child)),
    folder,
    pid: child.pid ?? 0,
    stop,
    close: async () => {
      await stop();
      try {
        checkBills(folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The administrator of every site of these tests. */
export const administrator = { username: 'root', password: 'a long password' };

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** Sets up a site by its API, for journeys that start later; returns the key of the sandbox token. */
export async function setUp(site: Site): Promise<string> {
  const response = await fetch(`${site.url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...administrator,
      confirmPassword: administrator.password,
      sandbox: true,
      token: site.setupToken,
    }),
  });
  const answer = (await response.json()) as Answer;
  if (!answer.success) throw new Error(answer.message);
  return `sk-${(answer.data as { key: string }).key}`;
}

/** Makes one call through the gateway, so that logs and sums are not empty. */
export async function callOnce(site: Site, key: string, model = 'sandbox-fast'): Promise<void> {
  const response = await fetch(`${site.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

/** Signs root in by the API and saves options, one after another. */
export async function saveOptions(site: Site, values: Record<string, string>): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${site.url}/api/user/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(administrator),
  });
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { id } = ((await login.json()) as Answer).data as { id: number };
  for (const [key, value] of Object.entries(values)) {
    const reply = await fetch(`${site.url}/api/option/`, {
      method: 'PUT',
      headers: { ...json, cookie, 'new-api-user': String(id) },
      body: JSON.stringify({ key, value }),
    });
    const answer = (await reply.json()) as Answer;
    if (!answer.success) throw new Error(`${key}: ${answer.message}`);
  }
}

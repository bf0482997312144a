// Prints how much code two calls enter on the running server: a warm JSON chat call and a list page of the console. V8
// counts it between two reads of its counters; functions that also run in an idle window are left out. Then prints the share
// of small files with one importer. `--list` names the files. `npm run test:deep` ends with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');
const windowMs = 250;
/** Measured calls, three windows apart: recurring work does not run in each of them. */
const rounds = 5;
const dataDir = mkdtempSync(join(tmpdir(), 'entered-'));
const server = spawn(
  process.execPath,
  ['--inspect=127.0.0.1:0', join(root, 'packages/server/src/main.ts'), '--port=0'],
  {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
let printed = '';
for (const stream of [server.stdout, server.stderr]) stream.on('data', (piece) => (printed += piece));

/** Waits for a pattern in the server's output, at most a minute; returns the first match. */
async function match(pattern) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = pattern.exec(printed);
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`the server did not print ${pattern.source}:\n${printed}`);
}

/** Sends a command to the server's V8 inspector; returns the result. */
async function openInspector() {
  const [, address] = await match(/Debugger listening on (ws:\S+)/);
  const socket = new WebSocket(address);
  await once(socket, 'open');
  let id = 0;
  const waiting = new Map();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data);
    waiting.get(answer.id)?.(answer.result);
  });
  return (method, params = {}) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
}

/** A new site's key, and the session of its root user. */
async function setUp() {
  const [, url] = await match(/ready at (http:\/\/[^\s#/]+)/);
  const [, token] = await match(/#token=(\w+)/);
  const person = { username: 'root', password: 'harvest-lantern-42' };
  const post = (path, body) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const made = await post('/api/setup', {
    ...person,
    confirmPassword: person.password,
    token,
    sandbox: true,
  });
  const { data } = await made.json();
  const login = await post('/api/user/login', person);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { id } = (await login.json()).data;
  return { url, key: `sk-${data.key}`, session: { cookie, 'new-api-user': String(id) } };
}

/** Functions of our files that ran since the last read: location → calls. */
async function read(ask) {
  const { result } = await ask('Profiler.takePreciseCoverage');
  const ran = new Map();
  for (const { url, functions } of result) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
    if (!file.startsWith('packages/')) continue;
    for (const { functionName, ranges } of functions)
      if (ranges[0].count > 0) ran.set(`${file}#${functionName}@${ranges[0].startOffset}`, ranges[0].count);
  }
  return ran;
}

/** Functions that one warm call enters: those that run in each of several calls, and in no idle window before them. */
async function entered(ask, call) {
  for (let warm = 0; warm < 30; warm += 1) await call();
  const idle = new Set();
  let ran;
  for (let round = 0; round < rounds; round += 1) {
    await sleep(windowMs);
    await read(ask);
    await sleep(windowMs);
    for (const place of (await read(ask)).keys()) idle.add(place);
    await call();
    await sleep(windowMs);
    const now = await read(ask);
    ran = ran
      ? new Map(
          [...ran].flatMap(([place, count]) =>
            now.has(place) ? [[place, Math.min(count, now.get(place))]] : [],
          ),
        )
      : now;
  }
  const places = [...ran].filter(([place]) => !idle.has(place));
  const files = new Set(places.map(([place]) => place.split('#')[0]));
  if (process.argv.includes('--list')) console.log([...files].join('\n'));
  return {
    files: files.size,
    folders: new Set([...files].map((file) => dirname(file))).size,
    functions: places.length,
    calls: places.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** Source files under 40 lines with exactly one importer, and all source files. */
function smallFiles() {
  const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.test\.|\.d\.ts$|\/testing\//.test(file),
  );
  const importers = new Map(files.map((file) => [file, 0]));
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  for (const [file, text] of texts)
    for (const target of new Set(
      [...text.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map((m) => m[1] ?? m[2]),
    )) {
      const path = normalize(join(dirname(file), target));
      if (importers.has(path)) importers.set(path, importers.get(path) + 1);
    }
  const small = files.filter((file) => importers.get(file) === 1 && texts.get(file).split('\n').length <= 40);
  return { small: small.length, all: files.length };
}

try {
  const ask = await openInspector();
  const { url, key, session } = await setUp();
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const send = async (path, init) => {
    const answer = await fetch(`${url}${path}`, init);
    const body = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`);
  };
  const chat = () =>
    send('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
    });
  const list = () => send('/api/token/', { headers: session });
  for (const [name, call] of Object.entries({
    'a warm JSON chat call': chat,
    'a list call of the console': list,
  })) {
    const { files, folders, functions, calls } = await entered(ask, call);
    console.log(
      `${name} enters ${files} files in ${folders} folders: ${functions} functions, ${calls} calls`,
    );
  }
  const { small, all } = smallFiles();
  console.log(
    `${small} of ${all} source files (${Math.round((100 * small) / all)} %) have one importer and less than 40 lines`,
  );
} finally {
  server.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

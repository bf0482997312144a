/** @module-tag deep */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from '../website/read-pages.ts';
import { hasProgram, readPrinted, setUp } from './support/first-site.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-docs-'));
let server: ChildProcess | undefined;

afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!existsSync(join(root, 'website/node_modules/vitepress')))('the documentation site', () => {
  const built = join(root, 'dist/docs');
  const read = (path: string) => readFileSync(join(built, path), 'utf8');
  const base = '/guide/';

  beforeAll(() => {
    const env = {
      ...process.env,
      DOCS_URL: `https://docs.example${base}`,
      SOURCE_URL: 'https://code.example/b/main',
    };
    const done = spawnSync(process.execPath, [join(root, 'website/build.ts')], { env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${done.stdout}${done.stderr}`);
  });

  it('has no link to a page, a file or a heading that is not there, in either language', () => {
    const idsOf = new Map<string, Set<string>>();
    const ids = (path: string) => {
      const known =
        idsOf.get(path) ?? new Set(Array.from(read(path).matchAll(/ id="([^"]+)"/g), ([, id]) => id!));
      idsOf.set(path, known);
      return known;
    };
    const html = globSync('**/*.html', { cwd: built });
    const links = html.flatMap((page) =>
      Array.from(read(page).matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href]) => ({ page, href: href! })),
    );
    const broken = links.filter(({ page, href }) => {
      const url = new URL(href, `https://docs.example${base}${page}`);
      if (url.origin !== 'https://docs.example') return false;
      const path = decodeURIComponent(url.pathname)
        .slice(base.length)
        .replace(/(^|\/)$/, '$1index.html');
      if (!url.pathname.startsWith(base) || !existsSync(join(built, path))) return true;
      return url.hash !== '' && !ids(path).has(decodeURIComponent(url.hash.slice(1)));
    });
    expect(links.length).toBeGreaterThan(1_000);
    expect(broken).toEqual([]);
  });

  it('shows no mark of Markdown', () => {
    const shown = globSync('**/*.html', { cwd: built });
    expect(shown.length).toBeGreaterThan(100);
    for (const page of shown) {
      const prose = read(page).replaceAll(/<(script|style|code|pre)\b[\s\S]*?<\/\1>/g, '');
      expect(prose.match(/.{0,40}(?:\*\*|\]\().{0,40}/)?.[0] ?? '', page).toBe('');
    }
  });

  it('has the text of every page beside it, with links that lead to such texts', () => {
    const pages = readPages('https://code.example/b/main');
    for (const { path, text } of pages) {
      expect(read(`${path}.md`)).toBe(text);
      expect(existsSync(join(built, `${path}.html`)), path).toBe(true);
    }
    expect(read('how-to/upgrade.md')).toContain('[how](./deploy.md#backup)');
    expect(read('index.md')).toContain('(https://code.example/b/main/docs/decisions)');
  });

  it('lists every page of both languages for models, also as one file', () => {
    const listed = Array.from(read('llms.txt').matchAll(/\((https:[^)]+\.md)\)/g), ([, url]) => url);
    const written = readPages('').filter(({ isWritten }) => isWritten);
    expect(listed).toEqual(written.map(({ path }) => `https://docs.example${base}${path}.md`));
    expect(read('llms-full.txt')).toContain('\n# Money\n');
    expect(read('zh/llms-full.txt')).toContain('API 参考');
  });

  it('has the OpenAPI document in both languages, and a search index of each', () => {
    for (const path of ['openapi.json', 'zh/openapi.json'])
      expect(JSON.parse(read(path))).toMatchObject({ openapi: '3.1.1' });
    const indexes = globSync('assets/chunks/@localSearchIndex*.js', { cwd: built });
    expect(indexes.length).toBe(2);
  });
});

const execute = promisify(execFile);

describe('the shell examples of calls', () => {
  // The last page replaces the access token.
  const pages = ['README.md', 'docs/user-guide.md', 'docs/endpoints.md', 'docs/money.md', 'docs/security.md'];
  const examples = pages.flatMap((page) =>
    Array.from(
      readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm),
      ([, code]) => code!,
    )
      .filter(
        (code) =>
          code.includes('curl ') && ((!code.includes('| jq') && !code.includes('jq --')) || hasProgram('jq')),
      )
      .map((code) => [page, code] as const),
  );
  const env: Record<string, string> = {};

  beforeAll(async () => {
    server = spawn(process.execPath, [join(root, 'packages/server/src/main.ts')], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = readPrinted(server.stdout!, server.stderr!);
    const [, site = ''] = await printed.match(/ready at (http:\/\/\S+)/);
    const key = await setUp(site, /#token=(\S+)/.exec(printed.text())![1]!);
    const answer = await fetch(`${site}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await answer.text();
    Object.assign(env, {
      PATH: process.env.PATH,
      SITE: site,
      KEY: key,
      REQUEST_ID: answer.headers.get('x-tollgate-request-id'),
      USER_ID: '1',
      ACCESS_TOKEN: await makeAccessToken(site),
    });
  });

  const password = 'harvest-lantern-42';

  /** Signs in as the first administrator and makes an access token. */
  async function makeAccessToken(site: string): Promise<string> {
    const signedIn = await fetch(`${site}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password }),
    });
    const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]);
    const answer = await fetch(`${site}/api/user/token`, {
      headers: { cookie: cookie.join('; '), 'new-api-user': '1', 'x-current-password': password },
    });
    const { success, data, message } = (await answer.json()) as {
      success: boolean;
      data: string;
      message: string;
    };
    if (!success) throw new Error(message);
    return data;
  }

  it.each(examples)('%s: %s', async (_page, code) => {
    const here = code
      .replaceAll(/https:\/\/gate\.example|http:\/\/localhost:3000/g, '$SITE')
      .replaceAll('sk-…', '$KEY')
      .replaceAll('correct%20horse%20battery', password)
      .replaceAll(/\bcurl /g, 'curl --silent --show-error --fail-with-body ');
    const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env });
    expect(stdout).not.toBe('');
  });
});

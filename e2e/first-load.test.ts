/** @module-tag deep */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeVisitors, launchBrowser, logIn, openPage, settle, visit } from './support/browser.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';
import { openTeam } from './support/teams.ts';

const dist = join(import.meta.dirname, '../packages/web/dist');

/** Start pages for a visitor without an account. */
const forGuests = ['/', '/login', '/register', '/pricing', '/docs/api'];

/** Console page → most requests of every kind, including calls, by a browser with an empty cache. */
const requestBudgets: Record<string, number> = {
  '/': 20,
  '/login': 15,
  '/register': 15,
  '/pricing': 20,
  '/docs/api': 20,
  '/token': 20,
  '/detail': 20,
  '/log': 20,
  '/midjourney': 20,
  '/task': 20,
  '/gallery': 20,
  '/audit': 20,
  '/playground': 20,
  '/prices': 20,
  '/prices/vendors': 20,
  '/correction': 20,
  '/channel': 20,
  '/redemption': 20,
  '/user': 20,
  '/organisations': 20,
  '/organisations/join': 20,
  '/organisations/1': 20,
  '/all-organisations': 20,
  '/margin': 20,
  '/reconciliation': 20,
  '/plans': 20,
  '/topup': 20,
  '/statement': 20,
  '/personal': 20,
  '/setting': 20,
};

/** Most KB of gzipped script in a page's first load. */
const scriptBudget = (path: string) => (/^\/(login|register)$/.test(path) ? 200 : 260);

/** Most KB of the font, the style sheet and the page itself, in transferred size. */
const otherBudget = 100;

type Stored = Awaited<ReturnType<BrowserContext['storageState']>>;

let site: Site;
let browser: Browser;
/** Storage state of a visitor's browser, and of a logged-in browser. */
let visitor: Stored;
let loggedIn: Stored;
beforeAll(async () => {
  site = await startSite();
  await callOnce(site, await setUp(site));
  await openTeam(site, 'Research');
  browser = await launchBrowser();
  const { page, context } = await openPage(browser);
  await page.goto(site.url);
  visitor = await context.storageState();
  await logIn(page, site);
  loggedIn = await context.storageState();
  await context.close();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
});

interface FirstLoad {
  /** Paths of the files, by kind. */
  scripts: string[];
  others: string[];
  requests: number;
}

/** An empty page in a browser with its visitor's choices and session, and an empty cache. */
async function openFresh(path: string): Promise<{ page: Page; context: BrowserContext }> {
  const storageState = forGuests.includes(path) ? visitor : loggedIn;
  const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
  return { page: await context.newPage(), context };
}

/** Opens a page in a browser with an empty cache and waits until it has settled. */
async function firstLoad(path: string): Promise<FirstLoad> {
  const { page: first, context: fresh } = await openFresh(path);
  const scripts = new Set<string>();
  const others = new Set<string>();
  let requests = 0;
  first.on('request', (request) => {
    requests += 1;
    const { pathname } = new URL(request.url());
    if (request.resourceType() === 'script') scripts.add(pathname);
    else if (pathname.startsWith('/assets/')) others.add(pathname);
  });
  await visit(first, site, path);
  await first.locator('main h1').waitFor();
  await settle(first);
  await fresh.close();
  return { scripts: [...scripts], others: [...others], requests };
}

const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0) / 1024;
const loaded = new Map<string, FirstLoad>();

describe('a first load', () => {
  test.each(Object.entries(requestBudgets))('of %s stays within its budget', async (path, requests) => {
    const load = await firstLoad(path);
    loaded.set(path, load);
    const script = kilobytes(load.scripts);
    const other = kilobytes(load.others);
    console.log(
      `${path}: ${script.toFixed(0)} KB of script in ${load.scripts.length} files, ${other.toFixed(0)} KB beside, ` +
        `${load.requests} requests`,
    );
    expect(load.scripts.length).toBeGreaterThan(3);
    expect(script).toBeLessThanOrEqual(scriptBudget(path));
    expect(other).toBeLessThanOrEqual(otherBudget);
    expect(load.requests).toBeLessThanOrEqual(requests);
  });

  test.each(['/login', '/token'])(
    'of %s requests the code of the page before the base has run',
    async (path) => {
      const { page: first, context: fresh } = await openFresh(path);
      const asked = new Set<string>();
      first.on('request', (request) => asked.add(new URL(request.url()).pathname));
      // With the main script blocked, all requests are made by the page itself.
      await first.route('**/assets/index-*.js', (route) => route.abort());
      await first.goto(site.url + path, { waitUntil: 'load' });
      // A page does not wait for its early requests, and their events may be reported after the page.
      const scripts = loaded.get(path)?.scripts ?? ['no scripts'];
      await expect.poll(() => [...asked]).toEqual(expect.arrayContaining(scripts));
      await fresh.close();
    },
  );

  test('loads the chart only where there is one', () => {
    const hasChart = (path: string) =>
      (loaded.get(path)?.scripts ?? []).some((script) =>
        readFileSync(join(dist, script), 'utf8').includes('按模型堆叠'),
      );
    expect(Object.keys(requestBudgets).filter(hasChart)).toEqual(['/detail']);
  });
});

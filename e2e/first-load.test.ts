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

/** Pages that a visitor without an account begins with. */
const forGuests = ['/', '/login', '/register', '/pricing', '/docs/api'];

/** Pages of the console, and the requests of every kind, calls included, of a browser that has nothing yet. */
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
  '/topup': 20,
  '/personal': 20,
  '/setting': 20,
};

/** KB of gzipped script that a page may load at first. */
const scriptBudget = (path: string) => (/^\/(login|register)$/.test(path) ? 200 : 260);

/** The font, the style sheet and the page itself, in KB as they are sent. */
const otherBudget = 100;

type Stored = Awaited<ReturnType<BrowserContext['storageState']>>;

let site: Site;
let browser: Browser;
/** What the browser of a visitor, and of somebody logged in, keeps. */
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

/** An empty page of a browser that has its visitor's choices and session, and no file yet. */
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
      // Without the base nobody but the page itself asks for anything.
      await first.route('**/assets/index-*.js', (route) => route.abort());
      await first.goto(site.url + path, { waitUntil: 'load' });
      // A page does not wait for what it asks for early, and may be told of after the page.
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

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

/**
 * What a page may cost a browser that has nothing yet: KB of gzipped script, and requests of every kind, calls
 * included.
 */
const budgets: Record<string, { script: number; requests: number }> = {
  '/': { script: 270, requests: 20 },
  '/login': { script: 220, requests: 15 },
  '/register': { script: 220, requests: 15 },
  '/pricing': { script: 280, requests: 20 },
  '/docs/api': { script: 275, requests: 20 },
  '/token': { script: 280, requests: 20 },
  '/detail': { script: 290, requests: 20 },
  '/log': { script: 290, requests: 20 },
  '/midjourney': { script: 290, requests: 20 },
  '/task': { script: 290, requests: 20 },
  '/gallery': { script: 290, requests: 20 },
  '/playground': { script: 295, requests: 20 },
  '/channel': { script: 290, requests: 20 },
  '/redemption': { script: 290, requests: 20 },
  '/user': { script: 290, requests: 20 },
  '/organisations': { script: 280, requests: 20 },
  '/organisations/join': { script: 280, requests: 20 },
  '/organisations/1': { script: 280, requests: 20 },
  '/all-organisations': { script: 290, requests: 20 },
  '/topup': { script: 280, requests: 20 },
  '/personal': { script: 295, requests: 20 },
  '/setting': { script: 300, requests: 20 },
};

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
  test.each(Object.entries(budgets))('of %s stays within its budget', async (path, budget) => {
    const load = await firstLoad(path);
    loaded.set(path, load);
    const script = kilobytes(load.scripts);
    const other = kilobytes(load.others);
    console.log(
      `${path}: ${script.toFixed(0)} KB of script in ${load.scripts.length} files, ${other.toFixed(0)} KB beside, ` +
        `${load.requests} requests`,
    );
    expect(load.scripts.length).toBeGreaterThan(3);
    expect(script).toBeLessThanOrEqual(budget.script);
    expect(other).toBeLessThanOrEqual(otherBudget);
    expect(load.requests).toBeLessThanOrEqual(budget.requests);
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
    expect(Object.keys(budgets).filter(hasChart)).toEqual(['/detail']);
  });
});

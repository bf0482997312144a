import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { administrator, type Site } from './site.ts';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

declare global {
  interface Window {
    /** In pages that axe's own script has run in. */
    axe: typeof axe;
  }
}

let running: Browser | undefined;

/**
 * The browser of this process, started at its first use: visitors share neither storage nor cache, so all files
 * can share it. `npm test` finds its program; without one the journeys do not run at all (tools/test.mjs).
 */
export async function launchBrowser(): Promise<Browser> {
  if (running?.isConnected()) return running;
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  running = await chromium.launch({ executablePath, args: flags });
  return running;
}

/** Visitors with open pages. */
export const openContexts = (): BrowserContext[] => running?.contexts() ?? [];

/** Closes the pages of all visitors, before their site closes. */
export async function closeVisitors(): Promise<void> {
  for (const context of openContexts()) await context.close();
}

export interface Look {
  language?: 'zh' | 'en';
  theme?: 'light' | 'dark';
  /** Phone width. */
  phone?: boolean;
}

/** A page that records its errors. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, of the console and of the content policy. */
  problems: string[];
}

/** Opens an empty page of a visitor with the given language, theme and width. */
export async function openPage(
  browser: Browser,
  { language = 'en', theme = 'light', phone = false }: Look = {},
): Promise<Watched> {
  const viewport = phone ? { width: 390, height: 844 } : { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport });
  await context.addInitScript(
    (choice) => {
      // Frames of other sites have their own choices, and this browser lets them store none.
      if (window.top !== window) return;
      // Only for missing choices: a choice made on the page must survive its reloads.
      if (!localStorage.getItem('i18nextLng')) localStorage.setItem('i18nextLng', choice.language);
      if (!localStorage.getItem('theme-mode')) localStorage.setItem('theme-mode', choice.theme);
    },
    { language, theme },
  );
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', () => count(page, 1));
  page.on('requestfinished', () => count(page, -1));
  page.on('requestfailed', () => count(page, -1));
  return { page, context, problems };
}

/** Logs a person in through the form; the administrator by default. */
export async function logIn(page: Page, site: Site, person = administrator): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.locator('input[autocomplete=username]').fill(person.username);
  await page.locator('input[autocomplete=current-password]').fill(person.password);
  await page.locator('form button[type=submit]').click();
  await page.waitForURL('**/token');
}

/**
 * Logs a person in by the form's API call, the administrator by default, and stores the same values as the form, for
 * journeys that start after the log-in. No page of the console is opened yet: rendering the form and the next page in each
 * journey again would test nothing that the log-in journeys do not.
 */
export async function openSession(page: Page, site: Site, person = administrator): Promise<void> {
  // The smallest file of the site: storage belongs to an origin, so some page of it must be open.
  await page.goto(`${site.url}/theme.js`);
  await page.evaluate(async (typed) => {
    const response = await fetch('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(typed),
    });
    const answer = (await response.json()) as { success: boolean; message: string; data: unknown };
    if (!answer.success) throw new Error(answer.message);
    localStorage.setItem('user', JSON.stringify(answer.data));
  }, person);
}

/** Running requests, and the time of the last change of their number (ms), by page. */
const traffic = new WeakMap<Page, { open: number; changed: number }>();

function count(page: Page, step: number): void {
  const { open } = traffic.get(page) ?? { open: 0 };
  traffic.set(page, { open: open + step, changed: Date.now() });
}

/** Time without network activity after which a page counts as settled, and the limit for that wait, in ms. */
const quietMs = 150;
const settleMs = 10_000;

/**
 * Waits until a page has its data and its fonts, and no animation runs. Faster than Playwright's `networkidle`,
 * which waits half a second each time.
 */
export async function settle(page: Page): Promise<void> {
  const end = Date.now() + settleMs;
  const isQuiet = () => {
    const { open, changed } = traffic.get(page) ?? { open: 0, changed: 0 };
    return open <= 0 && Date.now() - changed >= quietMs;
  };
  while (!isQuiet() && Date.now() < end) await page.waitForTimeout(25);
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Transitions end by themselves; endless or scroll-driven animations do not.
    const passing = document
      .getAnimations()
      .filter(
        ({ effect, timeline }) => timeline === document.timeline && effect?.getTiming().iterations === 1,
      );
    await Promise.allSettled(passing.map(({ finished }) => finished));
  });
}

/** Opens an address of the site and waits until it has settled. */
export async function visit(page: Page, site: Site, path: string): Promise<void> {
  await page.goto(site.url + path);
  // The code of a page loads after the page; under load the network can be idle for a moment in between.
  await page
    .locator('main :is(h1, h2)')
    .first()
    .waitFor({ timeout: settleMs })
    .catch(() => undefined);
  await settle(page);
}

/** Rules of axe: faults against both levels of WCAG, and against good practice. */
const accessRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Less than half of `axe.source`, which includes comments. */
const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Faults of accessibility and of good practice in the current state of the page, in one line each. Frames of other sites
 * are not checked: they are not ours. A page that is still opening has no heading yet, which would be found as a fault.
 */
export async function accessFaults(page: Page): Promise<string[]> {
  const heading = page.locator('h1').first();
  await heading.waitFor({ state: 'attached', timeout: settleMs }).catch(() => undefined);
  // The heading may still be that of the page before.
  await settle(page);
  // Half a megabyte that is read and run once for each page, for any number of checks.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript);
  return page.evaluate(async (values) => {
    const { run } = window.axe;
    // Without passed rules: axe would describe each of them with its place in the page.
    const { violations } = await run(document, {
      runOnly: { type: 'tag', values },
      reporter: 'no-passes',
      iframes: false,
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target[0])).join(' | ')}`,
    );
  }, accessRules);
}

/** True if the page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);

/**
 * Counts a person's clicks on a page, over all its navigations; returns a function for the count so far. Call it
 * before the page is opened.
 */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('noteClick', () => (clicks += 1));
  await page.addInitScript(() =>
    addEventListener('pointerdown', () => (globalThis as { noteClick?: () => void }).noteClick?.(), true),
  );
  return () => clicks;
}

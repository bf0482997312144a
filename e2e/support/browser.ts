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
 * The browser of this process, started when it is first asked for: visitors share neither storage nor cache, so all files
 * can have the same. It is the one `npm test` found; without one the journeys are not run at all (tools/test.mjs).
 */
export async function launchBrowser(): Promise<Browser> {
  if (running?.isConnected()) return running;
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  running = await chromium.launch({ executablePath, args: flags });
  return running;
}

/** The visitors whose pages are open. */
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

/** A page that remembers what went wrong in it. */
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
      // Frames of other sites have choices of their own, and this browser lets them keep none.
      if (window.top !== window) return;
      // Only what nobody chose yet: a choice made on the page must outlive its reloads.
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

/** Logs a person in through the form, the administrator unless another is named. */
export async function logIn(page: Page, site: Site, person = administrator): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.locator('input[autocomplete=username]').fill(person.username);
  await page.locator('input[autocomplete=current-password]').fill(person.password);
  await page.locator('form button[type=submit]').click();
  await page.waitForURL('**/token');
}

/**
 * Logs a person in by the call of the form, the administrator unless another is named, and keeps what the form keeps, for
 * journeys that begin behind the log-in. No page of the console is open yet: drawing the form and what comes after it, in each
 * journey anew, shows nothing that the journeys of the log-in do not.
 */
export async function openSession(page: Page, site: Site, person = administrator): Promise<void> {
  // The smallest file of the site: what is kept, is kept for its address.
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

/** Requests on their way, and when that last changed (ms), by page. */
const traffic = new WeakMap<Page, { open: number; changed: number }>();

function count(page: Page, step: number): void {
  const { open } = traffic.get(page) ?? { open: 0 };
  traffic.set(page, { open: open + step, changed: Date.now() });
}

/** How long nothing may happen on the network until a page counts as settled, and how long that may take, in ms. */
const quietMs = 150;
const settleMs = 10_000;

/**
 * Waits until a page has its data and its letters, and nothing moves in it. Quicker than Playwright's `networkidle`,
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
    // Transitions end by themselves; what spins for ever, or moves with a scroll, does not.
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
  // The code of a page comes after the page; a machine under load is quiet for a while in between.
  await page
    .locator('main :is(h1, h2)')
    .first()
    .waitFor({ timeout: settleMs })
    .catch(() => undefined);
  await settle(page);
}

/** What axe looks for: faults against both levels of WCAG, and against good practice. */
const accessRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Less than half of `axe.source`, which has its comments. */
const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Faults of accessibility and of good practice on the page as it stands, in one line each. Frames of other sites are not
 * looked into: they are not ours.
 */
export async function accessFaults(page: Page): Promise<string[]> {
  // Half a megabyte that is read and run once a page, however often the page is looked at.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript);
  return page.evaluate(async (values) => {
    const { run } = window.axe;
    // Without the passes, each of which would be described with its place in the page.
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

/** True when the page is wider than its window: something sticks out. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);

/**
 * Counts what a person clicks on a page, over all its navigations; answers how many clicks there were so far. To be
 * called before the page is opened.
 */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('noteClick', () => (clicks += 1));
  await page.addInitScript(() =>
    addEventListener('pointerdown', () => (globalThis as { noteClick?: () => void }).noteClick?.(), true),
  );
  return () => clicks;
}

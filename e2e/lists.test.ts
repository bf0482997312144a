/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBusySite, type BusySite } from './busy-site/open.ts';
import { closeVisitors, launchBrowser, openPage, openSession, settle, visit } from './support/browser.ts';
import { listPages } from './support/pages.ts';
import { openTeam } from './support/teams.ts';
import { makeVariousCalls } from './support/various-calls.ts';

/** Pages that have no list of their own, or that redirect. */
const withoutLists = [
  '/',
  '/setup',
  '/login',
  '/register',
  '/chat',
  '/chat2link',
  '/playground',
  '/docs/api',
];
const teamTabs = ['members', 'invitations', 'keys', 'usage', 'statement'];
const sitePaths = listPages()
  .map(({ path }) => path)
  .filter((path) => !withoutLists.includes(path) && !/\$|\/0$/.test(path));
let paths: string[] = [];

/** Heights in px: a row has one line on a desktop, a card two lines on a phone. */
const rowLimit = 44;
const cardLimit = 96;

let site: BusySite;
let browser: Browser;
beforeAll(async () => {
  site = await openBusySite();
  const team = await openTeam(site, 'Research');
  await makeVariousCalls(site, site.sandboxKey);
  paths = [...sitePaths, ...teamTabs.map((tab) => `/organisations/${team}?tab=${tab}`)];
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
});

const openWide = async (width: number) => {
  const { page, problems } = await openPage(browser);
  await page.setViewportSize({ width, height: 900 });
  await openSession(page, site);
  return { page, problems };
};

/** Opens a page and waits for its rows, which may load after the page; rows out of sight may never load. */
async function visitList(page: Page, path: string): Promise<void> {
  await visit(page, site, path);
  await page
    .locator('main :is(.mantine-Skeleton-root, table[aria-busy])')
    .first()
    .waitFor({ state: 'detached', timeout: 2_000 })
    .catch(() => undefined);
}

/** The lists of the open page, by name: overflow beyond the frame, and the height of the highest row. */
const listsOn = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'main :is(table:has(th[data-column]), [role=list][data-cards])',
      ),
    ].map((list) => {
      const frame = list.parentElement ?? list;
      const rows = [...list.querySelectorAll(':scope > tbody > tr, :scope > [role=listitem]')];
      return {
        name: list.getAttribute('aria-label') ?? '',
        columns: [...list.querySelectorAll('th')].map((head) => head.dataset.column ?? ''),
        outside: frame.scrollWidth - frame.clientWidth,
        highest: Math.max(0, ...rows.map((row) => Math.round(row.getBoundingClientRect().height))),
      };
    }),
  );

describe('every list', () => {
  test.each([
    [1440, rowLimit],
    [1024, rowLimit],
    [390, cardLimit],
  ])('at %i px has rows of at most %i px and no sideways scroll', async (width, limit) => {
    const { page, problems } = await openWide(width);
    const seen: string[] = [];
    const faults: string[] = [];
    for (const path of paths) {
      await visitList(page, path);
      for (const { name, outside, highest } of await listsOn(page)) {
        seen.push(name);
        if (outside > 1) faults.push(`${path} ${name}: ${outside} px outside`);
        if (highest > limit) faults.push(`${path} ${name}: a row of ${highest} px`);
      }
    }
    console.log(`${width} px: ${seen.length} lists: ${seen.join(', ')}`);
    expect([...faults, ...problems]).toEqual([]);
    expect(seen.length).toBeGreaterThanOrEqual(12);
  });

  test('shows name, state and main figure at 1024 px', async () => {
    const { page } = await openWide(1024);
    const main = {
      '/token': ['name', 'status', 'remain'],
      '/log': ['time', 'type', 'model', 'cost'],
      '/channel': ['name', 'status', 'balance'],
      '/redemption': ['name', 'status', 'quota'],
      '/user': ['username', 'status', 'balance'],
      '/all-organisations': ['name', 'status', 'wallet'],
      '/prices': ['model', 'input', 'output'],
      '/margin': ['name', 'charge', 'margin'],
      '/audit': ['time', 'kind', 'summary'],
    };
    for (const [path, columns] of Object.entries(main)) {
      await visitList(page, path);
      const [list] = await listsOn(page);
      expect(list?.columns, path).toEqual(expect.arrayContaining(columns));
    }
  });

  test('is ordered by the keyboard, and keeps its order over a reload', async () => {
    const { page } = await openWide(1440);
    let ordered = 0;
    for (const path of paths) {
      await visitList(page, path);
      const head = page.locator('th[aria-sort]').first();
      if ((await head.count()) === 0) continue;
      await head.getByRole('button').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => head.getAttribute('aria-sort'), { message: path }).not.toBe('none');
      await page.reload();
      await settle(page);
      await expect.poll(() => head.getAttribute('aria-sort'), { message: path }).not.toBe('none');
      ordered += 1;
    }
    expect(ordered).toBeGreaterThan(7);
  });

  test('keeps its filter over a reload', async () => {
    const { page } = await openWide(1440);
    let filtered = 0;
    for (const path of paths) {
      await visitList(page, path);
      const field = page.locator('main input[aria-keyshortcuts="/"]').first();
      if ((await field.count()) === 0) continue;
      await field.fill('a');
      await field.press('Enter');
      await page.waitForURL(/[?&]\w+=a(&|$)/);
      await page.reload();
      await field.waitFor();
      expect(await field.inputValue(), path).toBe('a');
      filtered += 1;
    }
    expect(filtered).toBeGreaterThan(6);
  });

  test('can be kept as a view, which a click brings back', async () => {
    const { page } = await openWide(1440);
    await visit(page, site, '/channel?keyword=OpenAI&sort=-used_quota');
    const menu = page.getByRole('button', { name: 'Views and columns' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Most used of OpenAI');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await visit(page, site, '/channel?p=1');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Most used of OpenAI' }).click();
    await page.waitForURL('**/channel?keyword=OpenAI&sort=-used_quota');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Remove view' }).click();
    await menu.click();
    await expect.poll(() => page.getByRole('menuitem', { name: 'Save this view' }).count()).toBe(1);
  });
});

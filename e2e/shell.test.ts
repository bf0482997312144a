/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { callOnce, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

const setOption = (page: Page, name: string, value: string) =>
  callFrom(page, 'PUT', '/api/option/', { key: name, value });

test('the first steps show the progress, and stay hidden once dismissed', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/detail');
  // The set-up made the sandbox and its token; there is no vendor and no call yet.
  await page.getByText('1 of 4 done').waitFor();
  await page.getByRole('link', { name: 'Add a channel' }).and(page.locator('[aria-current=step]')).waitFor();

  await callOnce(site, key);
  await page.reload();
  await page.getByText('2 of 4 done').waitFor();
  await page.getByRole('link', { name: 'Read its receipt' }).click();
  await page.waitForURL('**/log?range=7d');
  await page.getByRole('button', { name: 'Expand', exact: true }).first().click();
  await page.getByText('Matches the ledger').waitFor();
  await visit(page, site, '/detail');
  await page.getByText('3 of 4 done').waitFor();

  await page.getByRole('button', { name: 'Do not show again' }).click();
  expect(await page.getByText('First steps').count()).toBe(0);
  await page.reload();
  await page.getByText('Spent today').waitFor();
  expect(await page.getByText('First steps').count()).toBe(0);
  expect(problems).toEqual([]);
});

test("the site's logo, documentation link and footer show as they are set", async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await setOption(page, 'SelfUseModeEnabled', 'true');
  await setOption(page, 'DemoSiteEnabled', 'true');
  await setOption(page, 'general_setting.docs_link', 'https://docs.example/');
  await setOption(page, 'Footer', '<b>Made by us</b><script>window.ran = 1</script>');
  await visit(page, site, '/token');
  const header = page.getByRole('banner');
  await header.getByText('Self-use').waitFor();
  await header.getByText('Demo site').waitFor();
  await header.getByRole('button', { name: 'Help' }).click();
  expect(await page.getByRole('menuitem', { name: 'Docs' }).getAttribute('href')).toBe(
    'https://docs.example/',
  );
  await page.keyboard.press('Escape');
  await page.locator('footer b').getByText('Made by us').waitFor();
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);

  const { page: guest } = await openPage(browser);
  await visit(guest, site, '/');
  expect(await guest.getByRole('link', { name: 'Sign up' }).count()).toBe(0);
  for (const name of ['SelfUseModeEnabled', 'DemoSiteEnabled']) await setOption(page, name, 'false');
  await setOption(page, 'Footer', '');
  expect(problems).toEqual([]);
});

test('theme, language and a folded sidebar are kept', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  for (const [menu, choice] of [
    ['Theme', 'Dark'],
    ['Language', '中文'],
  ] as const) {
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: menu }).click();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('menuitem', { name: choice }).click();
  }
  await page.getByRole('button', { name: '收起侧边栏' }).click();
  await page.reload();
  await page.locator('html[data-mantine-color-scheme=dark][lang=zh-CN]').waitFor();
  await page.getByRole('button', { name: '展开侧边栏' }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('without a network the page shows a message, and continues when it is back', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await context.setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await context.setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  expect(await page.getByRole('heading', { name: 'Keys' }).isVisible()).toBe(true);
});

test('a page whose code was replaced, as after an update, offers to reload', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await context.route(/\/assets\/page-.*\.js/, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByText('The console was updated. Reload to continue').waitFor();
  await context.unroute(/\/assets\/page-.*\.js/);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/user');
});

test("New Year's Day has a decoration", async () => {
  const { page, problems } = await openPage(browser);
  await page.clock.setFixedTime(new Date('2027-01-01T10:00:00'));
  await visit(page, site, '/');
  await page.getByRole('banner').locator('svg.lucide-party-popper').waitFor();
  const { page: other } = await openPage(browser);
  await other.clock.setFixedTime(new Date('2027-01-02T10:00:00'));
  await visit(other, site, '/');
  expect(await other.getByRole('banner').locator('svg.lucide-party-popper').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('a guest on a phone finds all links in the sheet, and nothing is cut off', async () => {
  const { page, problems } = await openPage(browser, { phone: true });
  await visit(page, site, '/');
  const login = page.getByRole('banner').getByRole('link', { name: 'Log in' });
  expect(await login.evaluate((link) => link.scrollWidth <= link.clientWidth + 1)).toBe(true);
  await page.getByRole('button', { name: 'Menu' }).click();
  for (const name of ['Models', 'About', 'Log in', 'Sign up'])
    await page.getByRole('dialog').getByRole('link', { name }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('a site name of any length is truncated, and the buttons beside it stay visible', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await setOption(page, 'SystemName', '🦊'.repeat(40));
  const { page: guest } = await openPage(browser);
  for (const width of [1440, 1024, 768]) {
    await guest.setViewportSize({ width, height: 900 });
    await visit(guest, site, '/pricing');
    const banner = guest.getByRole('banner');
    for (const name of ['Log in', 'Sign up']) {
      const label = banner.getByRole('link', { name }).getByText(name);
      expect(await label.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    }
    const siteName = banner.getByText('🦊');
    expect(await siteName.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(true);
    expect(await banner.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  }
  await setOption(page, 'SystemName', 'Tollgate');
  expect(problems).toEqual([]);
});

test('on a phone figures and filters fill the rows that they stand in', async () => {
  const { page } = await openLoggedIn({ browser, site }, { look: { phone: true } });
  await visit(page, site, '/token');
  const measureWidth = (selector: string) =>
    page
      .locator(selector)
      .last()
      .evaluate((each) => each.getBoundingClientRect().width);
  // Three figures: the third fills the second row.
  expect(await measureWidth('main dl > div')).toBeGreaterThan((await measureWidth('main dl')) - 4);
  const fields = await page
    .getByRole('textbox')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ y, width }) => [y, width]));
  expect(fields).toHaveLength(2);
  expect(fields[0]).toEqual(fields[1]);
});

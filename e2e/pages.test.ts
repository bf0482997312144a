import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, openSession, overflows, visit, type Look } from './support/browser.ts';
import { eachLook, openStage } from './support/journeys.ts';
import { listPages } from './support/pages.ts';
import { callOnce, type Site } from './support/site.ts';
import { openTeam } from './support/teams.ts';

const pages = listPages();
/** Pages that have no content for a logged-in person on a site that is set up. */
const leadsAway = ['/setup', '/chat2link'];
/** Parts of pages that load when they are in sight: other ways to sign in, and the second factor. */
const parts = ['/setting?tab=sign-in', '/personal#two-step'];
/** The parts of an organisation, which the list of pages has as one page of any organisation. */
const teamTabs = ['overview', 'members', 'invitations', 'keys', 'usage', 'statement', 'settings'];
let teamPages: string[] = [];
const variants: Look[] = [
  { language: 'zh', theme: 'light' },
  { language: 'en', theme: 'dark' },
  { language: 'en', theme: 'light', phone: true },
];
const nameOf = ({ language, theme, phone }: Look) =>
  [language, theme, phone ? 'phone' : ''].filter(Boolean).join(' ');

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
  await callOnce(site, stage.key);
  const team = await openTeam(site, 'Research');
  teamPages = teamTabs.map((tab) => `/organisations/${team}?tab=${tab}`);
});

test('the list of pages could be read', () => {
  expect(pages.length).toBeGreaterThan(5);
});

eachLook(variants, (look) => {
  const readFaults = async (paths: readonly string[]): Promise<string[]> => {
    const { page, problems } = await openPage(browser, look);
    await openSession(page, site);
    const faults: string[] = [];
    for (const path of paths) {
      await visit(page, site, path);
      if ((await page.locator('main h1').count()) !== 1) faults.push(`${path}: not exactly one heading`);
      if ((await page.getByText(/^(无法加载|Could not load|找不到|Not found)$/).count()) > 0)
        faults.push(`${path}: could not load what it shows`);
      faults.push(...(await accessFaults(page)).map((fault) => `${path} (${nameOf(look)}): ${fault}`));
      if (await overflows(page)) faults.push(`${path} (${nameOf(look)}): wider than the window`);
    }
    return [...faults, ...problems];
  };

  test('every page shows without an error, an accessibility violation or an overflow', async () => {
    const shown = pages.map(({ path }) => path).filter((path) => !leadsAway.includes(path));
    expect(await readFaults(shown)).toEqual([]);
  });

  test('so do the parts that are opened later', async () => {
    expect(await readFaults([...parts, ...teamPages])).toEqual([]);
  });
});

test('guests are redirected from every protected page to the log-in', async () => {
  const { page, problems } = await openPage(browser);
  for (const { path } of pages.filter((each) => each.access !== 'public')) {
    await page.goto(site.url + path);
    await page.waitForURL('**/login?next=*');
  }
  expect(problems).toEqual([]);
});

test('an address without a page shows the not-found page', async () => {
  const { page } = await openPage(browser);
  await visit(page, site, '/no/such/page');
  expect(await page.locator('main').innerText()).toContain('There is no page at /no/such/page.');
});

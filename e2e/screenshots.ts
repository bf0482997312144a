// Writes a picture of every page in both languages, both themes and both widths:
// npm run screenshots -- [folder] [--only=/token,/log] [--look=en-light-desktop]
// npm run screenshots -- --readme writes the pictures of the README instead.
// npm run screenshots -- --times[=VISITS] [--profiles] prints how long each page blocks a slow processor instead.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBusySite } from './busy-site/open.ts';
import { launchBrowser, logIn, openPage, settle, visit, type Look } from './support/browser.ts';
import { measurePages } from './support/page-times.ts';
import { listPages, type ListedPage } from './support/pages.ts';
import { callOnce, startSite, type Site } from './support/site.ts';
import { makeVariousCalls } from './support/various-calls.ts';

/** The whole run takes about five minutes; the limit stops it in a forgotten terminal. */
const longestMs = 15 * 60_000;

const options = process.argv.slice(2);
const folder = resolve(
  options.find((each) => !each.startsWith('--')) ?? join(import.meta.dirname, 'out/screenshots'),
);
const listOf = (name: string) =>
  options
    .find((each) => each.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(',');
const only = listOf('only');
const onlyVariants = listOf('look');
/** Visits of each page when times are measured. */
const times = options.includes('--times') ? 3 : listOf('times')?.map(Number)[0];

const variants = (['zh', 'en'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    [false, true].map((phone): Required<Look> => ({ language, theme, phone })),
  ),
);
const nameOf = ({ language, theme, phone }: Required<Look>) =>
  `${language}-${theme}-${phone ? 'phone' : 'desktop'}`;
const fileOf = (path: string) => (path === '/' ? 'home' : path.slice(1).replaceAll('/', '-'));

/** A picture of one page once it has settled; does not wait for a page that embeds another site. */
async function shoot(page: Page, url: string, file: string): Promise<void> {
  await page.goto(url);
  await page.waitForLoadState('networkidle', { timeout: 8_000 }).catch(() => undefined);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
}

async function shootAll(browser: Browser, site: Site, pages: readonly ListedPage[]): Promise<void> {
  for (const look of variants.filter((each) => onlyVariants?.includes(nameOf(each)) ?? true)) {
    const place = join(folder, nameOf(look));
    mkdirSync(place, { recursive: true });
    const { page, context } = await openPage(browser, look);
    const isForGuests = ({ path }: ListedPage) => path === '/login' || path === '/register';
    for (const { path } of pages.filter(isForGuests))
      await shoot(page, site.url + path, join(place, `${fileOf(path)}.png`));
    await logIn(page, site);
    for (const { path } of pages.filter((each) => !isForGuests(each)))
      await shoot(page, site.url + path, join(place, `${fileOf(path)}.png`));
    await context.close();
    console.log(`${nameOf(look)}: ${pages.length} pages`);
  }
}

/** The set-up page is only visible before the set-up. */
async function shootSetUp(browser: Browser, site: Site): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const look of variants.filter((each) => onlyVariants?.includes(nameOf(each)) ?? true)) {
    const { page, context } = await openPage(browser, look);
    await shoot(
      page,
      `${site.url}/setup#token=${site.setupToken}`,
      join(folder, `setup-${nameOf(look)}.png`),
    );
    await context.close();
  }
}

/** Windows of the README's pictures: as high as the relevant content. */
const readmeSize = { width: 1440, height: 900 };
const dashboardSize = { width: 1440, height: 1460 };

/** The README's pictures of a site in use: the dashboard, the receipt of a call, and its channels in the dark theme. */
async function shootReadme(browser: Browser, site: Site): Promise<void> {
  const place = resolve(import.meta.dirname, '../docs/images');
  const save = async (page: Page, name: string) => {
    await settle(page);
    await page.screenshot({ path: join(place, `${name}.png`), animations: 'disabled' });
  };
  const { page, context } = await openPage(browser);
  await page.setViewportSize(dashboardSize);
  await logIn(page, site);
  await visit(page, site, '/detail');
  await page.getByRole('button', { name: 'Do not show again' }).click();
  await page.getByText('Channel health', { exact: true }).waitFor();
  await page.mouse.move(0, 0);
  await save(page, 'dashboard');
  await page.setViewportSize(readmeSize);
  await visit(page, site, '/log?username=alice&range=24h&type=2');
  await page.getByRole('button', { name: 'Expand' }).nth(1).click();
  await page.getByText('Matches the ledger').waitFor();
  await save(page, 'receipt');
  await visit(page, site, '/token');
  await page.getByRole('button', { name: 'Use', exact: true }).first().click();
  await page.getByRole('tab', { name: 'Agents & apps' }).click();
  await page.getByText('ANTHROPIC_BASE_URL').waitFor();
  await settle(page);
  const drawer = (await page.getByRole('dialog').boundingBox())!;
  const clip = { ...drawer, height: 480 };
  await page.screenshot({ path: join(place, 'key-use.png'), animations: 'disabled', clip });
  await context.close();
  const dark = await openPage(browser, { theme: 'dark' });
  await dark.page.setViewportSize(readmeSize);
  await logIn(dark.page, site);
  await visit(dark.page, site, '/channel');
  await save(dark.page, 'channels');
  await dark.context.close();
  console.log(`The README's pictures are in ${place}`);
}

/** Takes every page in every requested look, or measures times; the set-up page before the set-up. */
async function shootPages(browser: Browser, site: Site, key: string): Promise<void> {
  await callOnce(site, key, 'no-such-model').catch(() => undefined);
  await makeVariousCalls(site, key);
  const pages = listPages().filter(({ path }) => path !== '/setup' && (only?.includes(path) ?? true));
  if (times !== undefined) {
    mkdirSync(folder, { recursive: true });
    const profiles = options.includes('--profiles') ? folder : undefined;
    return measurePages(browser, site, pages, { visits: times, profiles });
  }
  await shootAll(browser, site, pages);
  console.log(`The pictures are in ${folder}`);
}

async function main(): Promise<void> {
  const watchdog = setTimeout(() => {
    console.error('The pictures took too long; stopped.');
    process.exit(1);
  }, longestMs);
  const browser = await launchBrowser();
  const isReadme = options.includes('--readme');
  if (!isReadme && times === undefined && (only?.includes('/setup') ?? true)) {
    const fresh = await startSite();
    await shootSetUp(browser, fresh);
    await fresh.close();
  }
  const site = await openBusySite();
  try {
    await (isReadme ? shootReadme(browser, site) : shootPages(browser, site, site.sandboxKey));
  } finally {
    await browser.close();
    await site.close();
    clearTimeout(watchdog);
  }
}

await main();

// Writes a picture of every page in both languages, both themes and both widths:
// npm run screenshots -- [folder] [--only=/token,/log] [--look=en-light-desktop]
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, logIn, openPage, type Look } from './support/browser.ts';
import { listPages, type ListedPage } from './support/pages.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';
import { furnish } from './support/traffic.ts';
import { makeVariousCalls } from './support/various-calls.ts';

/** All of it takes about three minutes; nothing runs on behind a forgotten terminal. */
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

const variants = (['zh', 'en'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    [false, true].map((phone): Required<Look> => ({ language, theme, phone })),
  ),
);
const nameOf = ({ language, theme, phone }: Required<Look>) =>
  `${language}-${theme}-${phone ? 'phone' : 'desktop'}`;
const fileOf = (path: string) => (path === '/' ? 'home' : path.slice(1).replaceAll('/', '-'));

/** A picture of one page once it has settled; a page that embeds another site is not waited for. */
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

/** The set-up only shows before it is done. */
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

/** Calls that succeed, fail and stream, so that logs and charts have something to tell. */
async function makeTraffic(browser: Browser, site: Site, key: string): Promise<void> {
  for (const model of ['sandbox', 'sandbox-fast', 'sandbox-fast', 'sandbox', 'sandbox-fast'])
    await callOnce(site, key, model);
  await callOnce(site, key, 'no-such-model').catch(() => undefined);
  await makeVariousCalls(site, key);
  const { page, context } = await openPage(browser);
  await logIn(page, site);
  await furnish(page);
  await context.close();
}

async function main(): Promise<void> {
  const watchdog = setTimeout(() => {
    console.error('The pictures took too long; stopped.');
    process.exit(1);
  }, longestMs);
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const pages = listPages().filter(({ path }) => path !== '/setup' && (only?.includes(path) ?? true));
    if (only?.includes('/setup') ?? true) await shootSetUp(browser, site);
    await makeTraffic(browser, site, await setUp(site));
    await shootAll(browser, site, pages);
    console.log(`The pictures are in ${folder}`);
  } finally {
    await browser.close();
    await site.close();
    clearTimeout(watchdog);
  }
}

await main();

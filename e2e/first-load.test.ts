import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, logIn, openPage, settle, visit } from './support/browser.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';

const dist = join(import.meta.dirname, '../packages/web/dist');

/**
 * What a page may cost a browser that has nothing yet, in KB of gzipped script: the pages people come in and stay by 220,
 * what they reach from there (and mostly have by then) a little more. Settings carry the declarations of all of them.
 */
const budgets: Record<string, number> = {
  '/': 220,
  '/login': 220,
  '/register': 220,
  '/pricing': 230,
  '/token': 220,
  '/detail': 220,
  '/log': 235,
  '/playground': 245,
  '/channel': 255,
  '/setting': 335,
};

let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  await callOnce(site, await setUp(site));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** The scripts a browser with an empty cache fetches for a page until it has settled. */
async function scriptsOf(path: string): Promise<string[]> {
  const { page, context } = await openPage(browser);
  if (!['/', '/login', '/register', '/pricing'].includes(path)) await logIn(page, site);
  const state = await context.storageState();
  const fresh = await browser.newContext({ storageState: state });
  const first = await fresh.newPage();
  const scripts = new Set<string>();
  first.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname);
  });
  await visit(first, site, path);
  await first.locator('main h1').waitFor();
  await settle(first);
  await context.close();
  await fresh.close();
  return [...scripts];
}

const sizeOf = (script: string) => gzipSync(readFileSync(join(dist, script)), { level: 9 }).length;
const pages = Object.keys(budgets);
const loaded = new Map<string, string[]>();

describe('a first load', () => {
  test.each(Object.entries(budgets))('of %s stays within %d KB of gzipped script', async (path, budget) => {
    const scripts = await scriptsOf(path);
    loaded.set(path, scripts);
    const bytes = scripts.reduce((sum, script) => sum + sizeOf(script), 0);
    console.log(`${path}: ${(bytes / 1024).toFixed(1)} KB in ${scripts.length} files`);
    expect(scripts.length).toBeGreaterThan(3);
    expect(bytes / 1024).toBeLessThanOrEqual(budget);
  });

  test('brings the chart only where there is one', () => {
    const hasChart = (path: string) =>
      (loaded.get(path) ?? []).some((script) =>
        readFileSync(join(dist, script), 'utf8').includes('按模型堆叠'),
      );
    expect(pages.filter(hasChart)).toEqual(['/detail']);
  });
});

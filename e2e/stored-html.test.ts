/** @module-tag deep */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeVisitors, launchBrowser, openPage, visit } from './support/browser.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';

/** Every kind of active content in a text; each one adds to `window.ran` when it runs. */
const acting = [
  '<script>window.ran = "script"</script>',
  '<img src="/none.png" onerror="window.ran = \'image\'">',
  '<svg onload="window.ran = \'drawing\'"></svg>',
  '<iframe srcdoc="<script>parent.ran = \'frame\'</script>"></iframe>',
  '<a href="javascript:window.ran = 1">a link</a>',
  '<form action="/api/user/logout"><button>a form</button></form>',
  '<style>main { display: none }</style>',
].join('\n');

/** Page on which visitors see each text. */
const places = { Notice: '/login', HomePageContent: '/', About: '/about', Footer: '/login' } as const;
const markOf = (key: string) => `<b>kept of ${key}</b>`;

let site: Site;
let browser: Browser;
beforeAll(async () => {
  const first = await startSite();
  await callOnce(first, await setUp(first));
  await first.stop();
  // As saved by a version without sanitisation.
  const database = new DatabaseSync(join(first.folder, 'tollgate.db'));
  const write = database.prepare('insert or replace into options ("key", value) values (?, ?)');
  for (const key of Object.keys(places)) write.run(key, `${markOf(key)}\n${acting}`);
  database.close();
  site = await startSite({}, first.folder);
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
});

test.each(Object.entries(places))(
  'active content in a stored %s is removed where it is shown',
  async (key, path) => {
    const { page, context } = await openPage(browser);
    await visit(page, site, path);
    const shown = page.locator('b', { hasText: `kept of ${key}` });
    await shown.waitFor();
    // The policy of the page would also block scripts; this checks that no active content is in the page.
    const acts =
      'script:not([src]), svg[onload], iframe, form[action], style:not([data-mantine-styles]), [onerror]';
    expect(await shown.locator('..').locator('..').locator(acts).count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    await context.close();
  },
);

/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

const unreachable = 'Unable to connect to server';

test('a page whose code failed to load opens by itself once the network is back', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByText(unreachable).waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
  expect(await page.getByText(unreachable).count()).toBe(0);
  await context.close();
});

test('"Try again" loads the code again', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByText(unreachable).waitFor();
  await page.unroute('**/assets/*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  expect(await page.getByText(unreachable).count()).toBe(0);
  await context.close();
});

test('a build that was replaced is reloaded once, and then explains what to do', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  let loads = 0;
  page.on('load', () => (loads += 1));
  await page.route('**/assets/page-*.js', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByText('The console was updated. Reload to continue').waitFor();
  expect(loads).toBe(1);
  await context.close();
});

/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, openSession, overflows } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { callOnce, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

test('cost prices of a channel show as the margin of a call, and the margin links to the call', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/channel?edit=1`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: /^Cost/ }).click();
  await drawer.getByLabel('List price factor').fill('3');
  await drawer.getByRole('button', { name: 'Save cost prices' }).click();
  await drawer.getByText(/^These models sell below cost: .*sandbox-fast/).waitFor();
  expect(await accessFaults(page)).toEqual([]);

  await callOnce(site, key);
  await page.goto(`${site.url}/margin`);
  await page.getByText(/^Sold below cost:/).waitFor();
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'View in log' }) });
  await row.waitFor();
  // A sale at a third of the cost loses two thirds of the cost.
  await row.getByText('300.0%').waitFor();
  await page.getByText('Day', { exact: true }).click();
  await page.getByRole('row', { name: new Date().toISOString().slice(0, 10) }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(await overflows(page)).toBe(false);

  await page.getByRole('link', { name: 'View in log' }).click();
  await page.waitForURL('**/log?*');
  await page
    .getByRole('row', { name: /sandbox-fast/ })
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});

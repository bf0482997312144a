/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FakeUsageVendors,
  openUsageVendors,
} from '../packages/server/src/testing/upstream/usage-vendors.ts';
import {
  accessFaults,
  closeVisitors,
  launchBrowser,
  openPage,
  openSession,
  overflows,
} from './support/browser.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let vendors: FakeUsageVendors;
beforeAll(async () => {
  vendors = await openUsageVendors();
  site = await startSite({ OPENAI_USAGE_URL: vendors.url });
  await callOnce(site, await setUp(site));
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  await vendors.close();
});

const today = Math.floor(Date.now() / 86_400_000) * 86_400;
const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10);

test('the vendor’s usage, fetched or from a file, is compared, and a difference links to its calls', async () => {
  const result = { model: 'sandbox-fast', input_tokens: 4_321, output_tokens: 7, num_model_requests: 9 };
  const bucket = { object: 'bucket', start_time: today, end_time: today + 86_400, results: [result] };
  vendors.answer('/v1/organization/usage/completions', {
    body: { object: 'page', data: [bucket], has_more: false, next_page: null },
  });
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/reconciliation`);
  await page.getByText('No reports yet').waitFor();
  await page.getByRole('button', { name: 'Fetch usage' }).click();
  const drawer = page.getByRole('dialog');
  const channel = async () => {
    await drawer.getByRole('combobox', { name: 'Channels' }).click();
    await page.getByRole('option', { name: /\(1\)$/ }).click();
    await page.keyboard.press('Escape');
  };
  await channel();
  await drawer.getByLabel('Admin key').fill('sk-admin-e2e');
  await drawer.getByLabel('Last day (UTC)').fill(dateOf(today));
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Fetch', exact: true }).click();

  const row = page.getByRole('row', { name: /sandbox-fast/ });
  await row.getByText('Differs').waitFor();
  await row.getByText('4,321').waitFor();
  expect(vendors.asked[0]?.headers.authorization).toBe('Bearer sk-admin-e2e');
  expect(await accessFaults(page)).toEqual([]);
  expect(await overflows(page)).toBe(false);

  await page.getByRole('button', { name: 'Fetch usage' }).click();
  await drawer.getByText('A CSV file').click();
  await channel();
  await page.locator('input[type=file]').setInputFiles({
    name: 'bill.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`day,what,cost\n${dateOf(today)},another-model,0.5\n`),
  });
  const pick = async (field: string, column: string) => {
    await drawer.getByRole('combobox', { name: field, exact: true }).click();
    await page.getByRole('option', { name: column, exact: true }).click();
  };
  await pick('Day', 'day');
  await pick('Model', 'what');
  await pick('Cost', 'cost');
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Import' }).click();
  await page
    .getByRole('row', { name: /another-model/ })
    .getByText('Only vendor')
    .waitFor();
  const ours = page.getByRole('row', { name: /sandbox-fast/ });
  await ours.getByText('Only ours').waitFor();

  await ours.getByRole('button').click();
  await page.getByRole('link', { name: 'View in log' }).click();
  await page.waitForURL('**/log?*');
  await page
    .getByRole('row', { name: /sandbox-fast/ })
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});

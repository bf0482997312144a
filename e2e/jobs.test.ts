import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import {
  startFakeUpstream,
  type FakeUpstream,
} from '../packages/server/src/testing/upstream/fake-upstream.ts';
import { accessFaults, countClicks, openPage, openSession, visit } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { callOnce, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let key: string;
let upstream: FakeUpstream;
openStage(async (stage) => {
  ({ site, browser, key } = stage);
  upstream = await startFakeUpstream();
});
afterAll(() => upstream.close());

/** A page of the administrator, with a count of clicks. */
async function openCounted() {
  const { page, problems } = await openPage(browser);
  const clicks = await countClicks(page);
  await openSession(page, site);
  return { page, problems, clicks };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('a real channel is tested, priced and ready in one drawer, in 4 clicks', async () => {
  const { page, problems, clicks } = await openCounted();
  await visit(page, site, '/channel');
  await button(page, 'Add channel').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('vendor');
  await drawer.getByRole('textbox', { name: 'Key', exact: true }).fill('sk-vendor');
  await drawer.getByRole('textbox', { name: 'Address', exact: true }).fill(upstream.url);
  const models = drawer.getByRole('combobox', { name: 'Models', exact: true });
  await models.fill('house-new');
  await models.press('Enter');
  await drawer.getByLabel('Dollars per million of input for house-new').fill('2');
  await drawer.getByLabel('Dollars per million of output for house-new').fill('8');
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Save 1 price' }).click();
  await drawer.getByText(/no price yet/).waitFor({ state: 'detached' });
  await drawer.getByRole('button', { name: 'Test what is entered' }).click();
  await drawer.getByText(/^It works/).waitFor();
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('row', { name: /vendor/ }).waitFor();
  expect(clicks()).toBeLessThanOrEqual(4);
  await callOnce(site, key, 'house-new');
  expect(problems).toEqual([]);
});

test('a user is created and funded in one drawer, in 2 clicks', async () => {
  const { page, problems, clicks } = await openCounted();
  await visit(page, site, '/user');
  await button(page, 'Add user').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Username').fill('funded');
  await drawer.locator('input[type=password]').fill('a good password');
  await drawer.getByLabel(/^Balance to begin with/).fill('25');
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('The user is created and credited $25.00').waitFor();
  await page
    .getByRole('row', { name: /funded/ })
    .getByText('$25.00')
    .waitFor();
  expect(clicks()).toBeLessThanOrEqual(2);
  expect(problems).toEqual([]);
});

test('why a call failed is found from Home in 2 clicks', async () => {
  await callOnce(site, key, 'no-such-model').catch(() => undefined);
  const { page, problems, clicks } = await openCounted();
  await visit(page, site, '/detail');
  await page
    .getByRole('link', { name: /failed$/ })
    .first()
    .click();
  await page.waitForURL('**/log?*');
  await button(page, 'Expand').first().click();
  await page
    .getByText(/no-such-model/)
    .last()
    .waitFor();
  await page.getByText('Returned to caller', { exact: true }).first().waitFor();
  expect(clicks()).toBeLessThanOrEqual(2);
  expect(problems).toEqual([]);
});

test('a wrong price is corrected on one path, from the price to the receipt, in 10 clicks', async () => {
  await callOnce(site, key);
  const { page, problems, clicks } = await openCounted();
  await visit(page, site, '/prices?q=sandbox-fast');
  await page.getByRole('button', { name: 'Edit the price of sandbox-fast' }).click();
  const dialog = page.getByRole('dialog');
  const input = dialog.getByRole('textbox', { name: 'Input / 1M', exact: true });
  await input.fill(String(Number(await input.inputValue()) / 2));
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await button(page, 'Review the changes').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save the prices' }).click();
  await page.getByRole('link', { name: 'Correct past charges' }).click();
  const drawer = page.getByRole('dialog', { name: 'New correction' });
  await drawer.getByRole('button', { name: 'Correct past charges…' }).click();
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('textbox', { name: 'Reason' }).fill('the price was typed twice too high');
  await drawer.getByRole('button', { name: /^Correct \d+ charges?…$/ }).click();
  await page.getByRole('dialog').last().getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('link', { name: 'Receipt' }).first().click();
  await page.waitForURL('**/log?*');
  const charge = page.getByRole('row').filter({ hasText: 'Usage' }).filter({ hasText: 'sandbox-fast' });
  await charge.getByRole('button', { name: 'Expand' }).click();
  await page.getByText('Total with corrections').waitFor();
  expect(clicks()).toBeLessThanOrEqual(10);
  expect(problems).toEqual([]);
});

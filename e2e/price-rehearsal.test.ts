/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import type { Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

test('a price that is not saved yet is applied to past usage', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await page.goto(`${site.url}/setting?q=GroupRatio`);
  await page.getByText('JSON', { exact: true }).first().click();
  await page.locator('#setting-GroupRatio textarea').fill('{"default": 2, "vip": 1}');
  await page.getByRole('button', { name: 'Rehearse on past usage' }).click();
  const drawer = page.getByRole('dialog', { name: 'Rehearse on past usage' });
  await drawer.getByRole('button', { name: 'Rehearse' }).click();
  await drawer.getByText('Would be').waitFor();
  expect(await drawer.getByText('Charged').first().isVisible()).toBe(true);
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});

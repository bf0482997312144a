/** @module-tag deep */
import { budgetApi, type BudgetData } from '@tollgate/contract';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, logIn, openPage, openSession } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { signUp } from './support/people.ts';
import type { Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
});
const pupil = { username: 'pupil', password: 'a good password' };

const listed = async (page: Page) =>
  (await callFrom(page, budgetApi.list.method, budgetApi.list.path)) as BudgetData[];

test('an administrator sets, changes and deletes the budget of a user; Home says when it is nearly used up', async () => {
  await signUp(site, pupil);
  const { page } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/user?keyword=pupil`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: /pupil/ });
  await drawer.getByText('No budgets').waitFor();
  await drawer.getByRole('button', { name: 'Add budget' }).click();
  const form = page.getByRole('dialog', { name: 'Add a budget' });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Please enter a name').waitFor();
  await form.getByLabel('Name').fill('homework');
  await form.getByLabel('Amount per period (dollars)').fill('2');
  expect(await accessFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$2.00 per week').waitFor();
  await drawer.getByText('$2.00 left').waitFor();
  expect(await listed(page)).toMatchObject([
    { name: 'homework', amount: 1_000_000, period: 'week', set_by: 'site', subject: 'pupil' },
  ]);

  await drawer.getByRole('button', { name: 'Change budget homework' }).click();
  const change = page.getByRole('dialog', { name: 'Change budget' });
  await change.getByLabel('Amount per period (dollars)').fill('3');
  await change.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$3.00 left').waitFor();

  const other = await openPage(browser, { language: 'zh', theme: 'dark' });
  await logIn(other.page, site, pupil);
  expect(await accessFaults(other.page)).toEqual([]);

  await drawer.getByRole('button', { name: 'Change budget homework' }).click();
  await change.getByLabel('Amount per period (dollars)').fill('0');
  await change.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$0.00 per week').waitFor();
  await other.page.goto(`${site.url}/detail`);
  const near = other.page.getByText('1 个预算接近用完');
  await expect
    .poll(async () => {
      await other.page.mouse.wheel(0, 2_000);
      return near.count();
    })
    .toBe(1);
  await other.page.getByText('pupil · homework').waitFor();

  await drawer.getByRole('button', { name: 'Delete budget homework' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer.getByText('No budgets').waitFor();
  expect(await listed(page)).toEqual([]);

  await drawer.getByRole('button', { name: 'Add budget' }).click();
  await form.getByLabel('Name').fill('any day');
  await form.getByLabel('Amount per period (dollars)').fill('2');
  await form.getByRole('combobox', { name: 'Period' }).click();
  await page.getByRole('option', { name: 'per day' }).click();
  await form.getByRole('combobox', { name: 'Counted by' }).click();
  await page.getByRole('option', { name: 'Any such time in a row (sliding)' }).click();
  expect(await accessFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$2.00 in any 24 hours').waitFor();
  expect(await listed(page)).toMatchObject([{ name: 'any day', period: 'day', sliding: true }]);
});

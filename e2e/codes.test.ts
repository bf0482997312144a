/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, logIn, openPage, overflows } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { freshName } from './support/people.ts';
import { callOnce, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

/** Creates a code through the form, in Chinese and the dark theme, and returns it. */
async function createCode(): Promise<string> {
  const { page, problems } = await openLoggedIn(
    { browser, site },
    { look: { language: 'zh', theme: 'dark' } },
  );
  await page.goto(`${site.url}/redemption`);
  await page.getByRole('button', { name: '添加兑换码' }).first().click();
  await page.getByRole('textbox', { name: '名称', exact: true }).fill('欢迎');
  await page.getByRole('button', { name: '创建', exact: true }).click();
  await page.getByText('已创建 1 个兑换码').waitFor();
  const code = await page.getByRole('dialog').locator('pre').innerText();
  expect(problems).toEqual([]);
  return code.trim();
}

test('a code is created, redeemed by a new user on a phone, and used up', async () => {
  const code = await createCode();
  const { page, problems } = await openPage(browser, { phone: true });
  const person = { username: freshName('ann'), password: 'her own password' };
  await page.goto(`${site.url}/register`);
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByLabel('Password again').fill(person.password);
  await page.getByRole('button', { name: 'Sign up', exact: true }).click();
  await page.waitForURL('**/login');
  await logIn(page, site, person);

  const token = await callFrom(page, 'POST', '/api/token/', { name: 'phone', unlimited_quota: true });
  const key = `sk-${(token as { key: string }).key}`;
  await expect(callOnce(site, key)).rejects.toThrow('quota');

  await page.goto(`${site.url}/topup`);
  await page.getByRole('button', { name: 'Redeem', exact: true }).click();
  await page.getByText('Please enter redemption code!').waitFor();
  await page.getByLabel('Redemption code').fill(code);
  await page.getByRole('button', { name: 'Redeem', exact: true }).click();
  await page.getByText('Redeemed: $0.20').waitFor();
  expect(await overflows(page)).toBe(false);
  expect(await accessFaults(page)).toEqual([]);

  await callOnce(site, key);
  await page.goto(`${site.url}/log`);
  await page.getByText('$0.000050').first().waitFor();
  // A code is money: it works once.
  await page.goto(`${site.url}/topup`);
  await page.getByLabel('Redemption code').fill(code);
  await page.getByRole('button', { name: 'Redeem', exact: true }).click();
  await page.getByLabel('Redemption code').and(page.locator('[aria-invalid=true]')).waitFor();
  expect(problems).toEqual([]);
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, logIn, openPage } from './support/browser.ts';
import { administrator, startSite, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

test('a newcomer sets the site up, makes a first call and reads its receipt', async () => {
  const { page, problems } = await openPage(browser, { language: 'zh' });
  await page.goto(site.url);
  await page.waitForURL('**/setup');

  await page.getByRole('button', { name: '下一步' }).click();
  expect(await page.getByText('请输入管理员用户名').isVisible()).toBe(true);

  await page.getByLabel('用户名').fill(administrator.username);
  await page.getByLabel('密码', { exact: true }).fill(administrator.password);
  await page.getByLabel('确认密码').fill(administrator.password);
  await page.getByRole('button', { name: '下一步' }).click();
  await page.getByRole('button', { name: '初始化系统' }).click();

  await page.getByRole('button', { name: '发送' }).click();
  await page.getByText('第一次调用已完成并计费').waitFor();
  const cost = await page.getByText(/^费用/).locator('span').innerText();
  expect(cost).toMatch(/^\$0\.0000\d\d$/);

  await page.getByRole('link', { name: '进入控制台' }).click();
  await page.waitForURL('**/token');
  await page.getByRole('link', { name: '使用日志' }).click();
  await page.getByRole('button', { name: '展开', exact: true }).first().click();
  const receipt = page.locator('table tfoot tr').first();
  await receipt.waitFor();
  expect(await receipt.innerText()).toContain(cost);
  await page.getByText('与账本一致').waitFor();
  expect(problems).toEqual([]);
});

test('a site that is set up sends visitors away from the set-up, and guests to the log-in', async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(`${site.url}/setup`);
  await page.waitForURL(`${site.url}/`);
  await page.goto(`${site.url}/log?range=7d`);
  await page.waitForURL('**/login?next=*');

  await page.getByLabel('Username or e-mail').fill(administrator.username);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('alert').waitFor();

  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL('**/log?range=7d');
  expect(problems).toEqual([]);
});

test('a session that ended elsewhere leads to the log-in, which says so', async () => {
  const { page, context } = await openPage(browser);
  await logIn(page, site);
  await context.clearCookies();
  // A call that was under way may lead to the log-in before the click does.
  const link = page.getByRole('link', { name: 'Usage logs' });
  await link.click({ timeout: 2_000 }).catch(() => undefined);
  await page.waitForURL('**/login?expired=true');
  expect(await page.locator('main').innerText()).toContain('the session has expired');
});

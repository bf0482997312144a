import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeVisitors, countClicks, launchBrowser, logIn, openPage } from './support/browser.ts';
import { administrator, startSite, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
});

/** Fills in the first step and sends the form. */
async function sendSetUp(page: Page, [next, submit]: [string, string]): Promise<void> {
  await page.locator('input[autocomplete=username]').fill(administrator.username);
  for (const field of await page.locator('input[autocomplete=new-password]').all())
    await field.fill(administrator.password);
  await page.getByRole('button', { name: next }).click();
  await page.getByRole('button', { name: submit }).click();
}

test('without the printed link the setup asks for its token and shows where to find it', async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(site.url);
  await page.waitForURL('**/setup');
  await page.getByText('What follows #token= in the link').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  expect(await page.getByText('Please enter the set-up token').isVisible()).toBe(true);
  expect(problems).toEqual([]);
});

test('a link of an earlier start opens the field for the token, with the reason', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${site.url}/setup#token=OfAnEarlierStart`);
  await page.waitForURL((url) => url.hash === '');
  expect(await page.getByLabel('Set-up token').count()).toBe(0);
  await sendSetUp(page, ['Next', 'Initialize the system']);
  await page.getByText('The set-up token is not right').waitFor();
  expect(await page.getByLabel('Set-up token').inputValue()).toBe('');
  expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(administrator.username);
});

test('a new user opens the printed link, makes a first call and reads its receipt', async () => {
  const { page, problems } = await openPage(browser, { language: 'zh' });
  const clicks = await countClicks(page);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.goto(`${site.url}/setup#token=${site.setupToken}`);
  await page.waitForURL((url) => url.hash === '');
  // Neither the address bar nor the history keeps the token, and no request carried it in its address.
  await page.getByRole('button', { name: '下一步' }).click();
  expect(await page.getByText('请输入管理员用户名').isVisible()).toBe(true);
  expect(await page.evaluate(() => [location.href, history.length])).toEqual([`${site.url}/setup`, 2]);
  expect(sent.filter((url) => url.includes(site.setupToken) && !url.includes('#'))).toEqual([]);
  expect(await page.getByLabel('初始化口令').count()).toBe(0);

  const before = clicks();
  await sendSetUp(page, ['下一步', '初始化系统']);

  await page.getByRole('button', { name: '发送' }).click();
  await page.getByText('第一次调用已完成并计费').waitFor();
  expect(clicks() - before).toBeLessThanOrEqual(3);
  const cost = await page.getByText(/^费用/).locator('span').innerText();
  expect(cost).toMatch(/^\$0\.0000\d\d$/);

  // The dashboard shows a newcomer's next step.
  expect(await page.getByRole('link', { name: '进入控制台' }).getAttribute('href')).toBe('/detail');
  await page.getByRole('link', { name: '在使用日志中查看收据' }).click();
  await page.waitForURL('**/log*');
  await page.getByRole('button', { name: '展开', exact: true }).first().click();
  const receipt = page.locator('table tfoot tr').first();
  await receipt.waitFor();
  expect(await receipt.innerText()).toContain(cost);
  await page.getByText('与账本一致').waitFor();
  expect(problems).toEqual([]);
});

test('a site that is set up redirects visitors from the setup, and guests to the log-in', async () => {
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

test('a session that ended elsewhere leads to the log-in, with the reason and the way back', async () => {
  const { page, context } = await openPage(browser);
  await logIn(page, site);
  await context.clearCookies();
  // A running call may lead to the log-in page before the click does.
  const link = page.getByRole('link', { name: 'Activity' });
  await link.click({ timeout: 2_000 }).catch(() => undefined);
  await page.waitForURL('**/login?expired=true*');
  expect(await page.locator('main').innerText()).toContain('session expired');
  const { searchParams } = new URL(page.url());
  expect(['/log', '/token']).toContain(searchParams.get('next'));
});

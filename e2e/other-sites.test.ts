import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../packages/server/src/testing/upstream/sign-in/openid-provider.ts';
import { accessFaults, launchBrowser, logIn, openPage, settle } from './support/browser.ts';
import { administrator, saveOptions, setUp, startSite, type Site } from './support/site.ts';

const client = { id: 'gate', secret: 'gate-secret' };
let site: Site;
let browser: Browser;
let openid: OpenidProvider;
beforeAll(async () => {
  site = await startSite();
  await setUp(site);
  openid = await startOpenidProvider({ ...client, redirectUri: `${site.url}/oauth/oidc` });
  await saveOptions(site, {
    'oidc.well_known': openid.wellKnown,
    'oidc.client_id': client.id,
    'oidc.client_secret': client.secret,
    'oidc.enabled': 'true',
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await openid.close();
});

/** Logs in at the provider's own pages and consents. */
async function consent(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a newcomer signs in through a real OpenID provider, in Chinese, and comes back later', async () => {
  const { page, problems } = await openPage(browser, { language: 'zh' });
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: '使用 OIDC 继续' }).waitFor();
  await settle(page);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: '使用 OIDC 继续' }).click();
  await consent(page, 'carol');
  await page.waitForURL(`${site.url}/`);
  await page.goto(`${site.url}/token`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('user'))).toContain('carol-there');
  const again = await openPage(browser);
  await again.page.goto(`${site.url}/login`);
  await again.page.getByRole('button', { name: 'Continue with OIDC' }).click();
  await consent(again.page, 'carol');
  await again.page.waitForURL(`${site.url}/`);
  // The provider's own pages ask for fonts of other sites, which is no fault of this one.
  const ours = [...problems, ...again.problems].filter(
    (problem) => !problem.startsWith('Failed to load resource'),
  );
  expect(ours).toEqual([]);
});

test('root binds the provider with the password and takes it away again, in English', async () => {
  const { page } = await openPage(browser);
  await logIn(page, site);
  await page.goto(`${site.url}/personal`);
  await page.getByRole('button', { name: 'Bind OIDC' }).click();
  await page.getByLabel('Your current password, to go on').fill(administrator.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Bind', exact: true }).click();
  await consent(page, 'dora');
  await page.waitForURL('**/personal');
  await page.getByText('dora', { exact: true }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Unbind OIDC' }).click();
  await page.getByLabel('Your current password, to go on').fill(administrator.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Unbind', exact: true }).click();
  await page.getByRole('button', { name: 'Bind OIDC' }).waitFor();
});

test('an answer that this browser did not ask for is refused, in English', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${site.url}/oauth/oidc?code=stolen&state=of-somebody-else`);
  await page.getByText('state is empty or not same').waitFor();
  await page.getByRole('link', { name: 'Back to log-in' }).click();
  await page.waitForURL('**/login');
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
});

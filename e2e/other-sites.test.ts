/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../packages/server/src/testing/upstream/sign-in/openid-provider.ts';
import { consent } from './support/consent.ts';
import {
  accessFaults,
  closeVisitors,
  launchBrowser,
  openPage,
  openSession,
  settle,
} from './support/browser.ts';
import { administrator, saveOptions, setUp, startSite, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

const client = { id: 'gate', secret: 'gate-secret' };
let site: Site;
let browser: Browser;
let openid: OpenidProvider;
/** Two more, which root adds in the console. */
let works: OpenidProvider;
let school: OpenidProvider;
beforeAll(async () => {
  site = await startSite();
  await setUp(site);
  openid = await startOpenidProvider({ ...client, redirectUri: `${site.url}/oauth/oidc` });
  works = await startOpenidProvider({
    ...client,
    redirectUri: `${site.url}/oauth/gypsy-works-of-sirius-cybernetic`,
  });
  school = await startOpenidProvider({ ...client, redirectUri: `${site.url}/oauth/school` });
  await saveOptions(site, {
    'oidc.well_known': openid.wellKnown,
    'oidc.client_id': client.id,
    'oidc.client_secret': client.secret,
    'oidc.enabled': 'true',
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  for (const provider of [openid, works, school]) await provider.close();
});

test('a new user signs in through a real OpenID provider, in Chinese, and again later', async () => {
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
  // The provider's own pages request fonts from other sites, which is not a fault of this site.
  const ours = [...problems, ...again.problems].filter(
    (problem) => !problem.startsWith('Failed to load resource'),
  );
  expect(ours).toEqual([]);
});

test('a user with an invitation signs in through another site and returns to the invitation, in English', async () => {
  const inviter = await openPage(browser);
  await openSession(inviter.page, site);
  const { id } = (await callFrom(inviter.page, 'POST', '/api/team/', { name: 'Research' })) as { id: number };
  const made = await callFrom(inviter.page, 'POST', `/api/team/${id}/invitation`, {});
  const { page } = await openPage(browser);
  await page.goto(`${site.url}/organisations/join#${(made as { code: string }).code}`);
  await page.waitForURL('**/login?next=*');
  await page.getByRole('button', { name: 'Continue with OIDC' }).click();
  await consent(page, 'erin');
  await page.getByText('root invites you to “Research”').waitFor();
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Research' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/organisations/${id}`);
});

test('root binds the provider with the password and removes it again, in English', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/personal`);
  await page.getByRole('button', { name: 'Bind OIDC' }).click();
  await page.getByLabel('Enter your current password to continue').fill(administrator.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Bind', exact: true }).click();
  await consent(page, 'dora');
  await page.waitForURL('**/personal');
  await page.getByText('dora', { exact: true }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Unbind OIDC' }).click();
  await page.getByLabel('Enter your current password to continue').fill(administrator.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Unbind', exact: true }).click();
  await page.getByRole('button', { name: 'Bind OIDC' }).waitFor();
});

test('an answer that this browser did not request is refused, in English', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${site.url}/oauth/oidc?code=stolen&state=of-somebody-else`);
  await page.getByText('Please start again').waitFor();
  await page.getByRole('link', { name: 'Back to log-in' }).click();
  await page.waitForURL('**/login');
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
});

/** A picture that needs no other site. */
const logo =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIHJ4PSIyIiBmaWxsPSJ0ZWFsIi8+PC9zdmc+';

/** Fills in the drawer of a new provider, tries it and saves it. */
async function addProvider(page: Page, fields: Record<string, string>): Promise<void> {
  await page.getByRole('button', { name: 'Add a provider' }).click();
  const drawer = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fields))
    await drawer.getByLabel(label, { exact: true }).fill(value);
  await drawer.getByLabel('Client ID').fill(client.id);
  await drawer.getByLabel('Client secret', { exact: true }).fill(client.secret);
  await drawer.getByRole('button', { name: 'Test' }).click();
  await drawer.getByText('This works').waitFor();
  await drawer.getByText('Accepted').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'detached' });
}

/** Almost the maximum length of a provider's name, with letters that extend below the line. */
const worksName = 'Gypsy Works of Sirius Cybernetics Corp';

/** Names on the buttons of other sites that are cut off, in width or height. */
const cutNames = (page: Page): Promise<string[]> =>
  page.getByRole('button', { name: /^使用 .+ 继续$/ }).evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const isCut = [...button.querySelectorAll('span')].some(
        (part) =>
          getComputedStyle(part).overflow !== 'visible' &&
          (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight),
      );
      return isCut ? [button.textContent] : [];
    }),
  );

/** Signs in from the log-in page, for the first time or again; returns the person's name on this site. */
async function signInWith(button: string, name: string): Promise<string> {
  const { page } = await openPage(browser, { language: 'zh' });
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: button }).waitFor();
  expect(await cutNames(page)).toEqual([]);
  await page.getByRole('button', { name: button }).click();
  await consent(page, name);
  await page.waitForURL(`${site.url}/`);
  await page.goto(`${site.url}/token`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return String(
    (JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}') as { username: string })
      .username,
  );
}

/** Removes the providers that an earlier try of the test left behind. */
async function forgetProviders(page: Page): Promise<void> {
  const path = '/api/custom-oauth-provider/';
  const left = (await callFrom(page, 'GET', path)) as { slug: string; bindings: number }[];
  for (const { slug, bindings } of left)
    await callFrom(page, 'DELETE', `${path}${slug}?bindings=${bindings}`);
}

test('root adds two OpenID providers; users sign in through each, and one is disabled and deleted', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await forgetProviders(page);
  await page.goto(`${site.url}/setting?open=oidc.enabled`);
  await page.locator('[id="setting-oidc.enabled"]').scrollIntoViewIfNeeded();
  await addProvider(page, { Name: worksName, Logo: logo, 'Discovery address': works.issuer });
  await addProvider(page, { Name: 'School', 'Discovery address': school.wellKnown });
  expect(await accessFaults(page)).toEqual([]);

  const atWorks = await signInWith(`使用 ${worksName} 继续`, 'erin');
  const atSchool = await signInWith('使用 School 继续', 'erin');
  expect(atSchool).not.toBe(atWorks);
  expect(await signInWith(`使用 ${worksName} 继续`, 'erin')).toBe(atWorks);

  await page.reload();
  await page.locator('[id="setting-oidc.enabled"]').scrollIntoViewIfNeeded();
  await page.getByText('1 account bound').first().waitFor();
  await page
    .getByRole('switch', { name: `Enable ${worksName}` })
    .locator('..')
    .click();
  const guest = await openPage(browser);
  await guest.page.goto(`${site.url}/login`);
  await guest.page.getByRole('button', { name: 'Continue with School' }).waitFor();
  await expect
    .poll(() => guest.page.getByRole('button', { name: `Continue with ${worksName}` }).count())
    .toBe(0);

  await page.getByRole('button', { name: 'Delete School' }).click();
  await page.getByText('1 of them has no other way in').waitFor();
  await page.getByLabel('Type “school” to confirm').fill('school');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete School' }).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

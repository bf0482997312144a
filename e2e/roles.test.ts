import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, logIn, openPage, visit } from './support/browser.ts';
import { listPages } from './support/pages.ts';
import { setUp, startSite, type Site } from './support/site.ts';

const person = { username: 'ann', password: 'her own password' };
let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  await setUp(site);
  const response = await fetch(`${site.url}/api/user/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(person),
  });
  const answer = (await response.json()) as { success: boolean; message: string };
  if (!answer.success) throw new Error(answer.message);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

test('a user opens every page of users, and is told of the others that they are not for him', async () => {
  const { page, problems } = await openPage(browser);
  await logIn(page, site, person);
  const own = listPages().filter(({ access }) => access === 'user');
  const others = listPages().filter(({ access }) => access === 'admin' || access === 'root');
  expect(Math.min(own.length, others.length)).toBeGreaterThan(2);
  // A page that leads to another site, or says that nothing leads there, has no frame to look into.
  for (const { path } of own.filter((each) => !each.path.startsWith('/chat'))) {
    await visit(page, site, path);
    expect(await page.locator('main h1').count(), path).toBe(1);
    expect(await page.getByText('No access').count(), path).toBe(0);
  }
  // Looked at before the refusals: the router writes each of those to the console as an error.
  expect(problems).toEqual([]);
  for (const { path } of others) {
    await visit(page, site, path);
    await page.getByText('This page is for administrators.').waitFor();
  }
  await visit(page, site, '/token');
  for (const name of ['Channels', 'Redemption codes', 'Settings'])
    expect(await page.getByRole('link', { name, exact: true }).count(), name).toBe(0);
});

/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, openSession, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

/** Calls the console's API as the person who is logged in on the page. */
const callApi = (page: Page, method: string, path: string, body: unknown): Promise<unknown> =>
  page.evaluate(
    async (call) => {
      const response = await fetch(call.path, {
        method: call.method,
        headers: { 'content-type': 'application/json', 'new-api-user': '1' },
        body: JSON.stringify(call.body),
      });
      return (await response.json()) as unknown;
    },
    { method, path, body },
  );

/** Answers every page of other sites itself, and records the visited addresses. */
async function catchOutside(page: Page): Promise<string[]> {
  const visited: string[] = [];
  await page.context().route(/elsewhere\.invalid/, async (route) => {
    visited.push(route.request().url());
    await route.fulfill({ contentType: 'text/html', body: '<h1>Chat</h1>' });
  });
  return visited;
}

const setChats = (page: Page, chats: readonly Record<string, string>[]) =>
  callApi(page, 'PUT', '/api/option/', { key: 'Chats', value: JSON.stringify(chats) });

test('a chat application opens with the first enabled token, whatever is in local storage', async () => {
  const { page, problems } = await openPage(browser);
  const visited = await catchOutside(page);
  await openSession(page, site);
  await setChats(page, [
    { Frame: 'https://chat.elsewhere.invalid/#/?settings={"key":"{key}","url":"{address}"}' },
  ]);
  // Write access to local storage must not control the destination of the key.
  await page.evaluate(() => {
    const status = JSON.parse(localStorage.getItem('status') ?? '{}') as Record<string, unknown>;
    status.chats = [{ Frame: 'https://evil.elsewhere.invalid/{key}' }];
    localStorage.setItem('status', JSON.stringify(status));
    localStorage.setItem('chats', JSON.stringify(status.chats));
  });
  await visit(page, site, '/chat/0');
  const address = await page.locator('iframe').getAttribute('src');
  expect(decodeURIComponent(address ?? '')).toBe(
    `https://chat.elsewhere.invalid/#/?settings={"key":"${key}","url":"${site.url}"}`,
  );
  await expect.poll(() => visited).toEqual(['https://chat.elsewhere.invalid/']);
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);

  await page.goto(`${site.url}/chat2link`);
  await page.waitForURL(/^https:\/\/chat\.elsewhere\.invalid\//);
});

test('a row of the tokens opens a chat with its own key, not with the first one', async () => {
  const { page, problems } = await openPage(browser);
  await catchOutside(page);
  await openSession(page, site);
  await setChats(page, [{ Frame: 'https://chat.elsewhere.invalid/#{key}' }]);
  const made = (await callApi(page, 'POST', '/api/token/', { name: 'first', unlimited_quota: true })) as {
    data: { key: string };
  };
  await visit(page, site, '/chat/0');
  expect(await page.locator('iframe').getAttribute('src')).toContain(`sk-${made.data.key}`);

  await visit(page, site, '/token');
  await page.getByRole('button', { name: /^More actions for sandbox$/ }).click();
  await page.getByRole('menuitem', { name: 'Frame' }).click();
  await page.waitForURL('**/chat/0?token=1');
  await page.locator('iframe').waitFor();
  expect(await page.locator('iframe').getAttribute('src')).toBe(`https://chat.elsewhere.invalid/#${key}`);
  expect(problems).toEqual([]);
  await callApi(page, 'DELETE', '/api/token/2', undefined);
});

test('links with scripts, or whose host comes from the key, are refused', async () => {
  const { page } = await openPage(browser);
  const visited = await catchOutside(page);
  await openSession(page, site);
  await setChats(page, [{ Bad: 'https://' }, { App: 'someapp://join?key={key}' }]);
  await visit(page, site, '/chat/0');
  await page.getByText('This chat link is not valid').waitFor();
  await visit(page, site, '/chat/1');
  await page.getByText('This is an application on your device').waitFor();
  await visit(page, site, '/chat/7');
  await page.getByText('There is no such chat application').waitFor();
  expect(visited).toEqual([]);
});

test('without a usable token or without links the page explains what to do', async () => {
  const { page } = await openLoggedIn({ browser, site });
  await setChats(page, [{ Frame: 'https://chat.elsewhere.invalid/#{key}' }]);
  await callApi(page, 'PUT', '/api/token/?status_only=true', { id: 1, status: 2 });
  await visit(page, site, '/chat/0');
  await page.getByText('You have no enabled key').waitFor();
  await page.waitForURL('**/token');

  await setChats(page, []);
  await visit(page, site, '/chat/0');
  await page.getByText('No chat application is set up').waitFor();
  expect(await page.getByRole('navigation', { name: 'Main' }).getByText('Chat').count()).toBe(0);
});

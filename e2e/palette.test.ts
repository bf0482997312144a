/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, openSession, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { callOnce, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });

async function ask(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill(words);
}

test('pages, actions and records are reached by keyboard alone', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await ask(page, '使用日志');
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/log');

  await ask(page, 'dark theme');
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();

  await ask(page, 'sandbox');
  const channel = palette(page).getByRole('group', { name: 'Channels' }).getByRole('option');
  await channel.waitFor();
  expect(await accessFaults(page)).toEqual([]);
  const chosen = () => channel.getAttribute('aria-selected');
  for (let step = 0; step < 20 && (await chosen()) !== 'true'; step += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/channel?edit=1');

  await visit(page, site, '/token');
  await ask(page, 'sandbox-think');
  await palette(page).getByRole('group', { name: 'Models' }).getByRole('option').waitFor();
  await palette(page).getByRole('option', { name: 'sandbox-think', exact: true }).click();
  await page.waitForURL('**/pricing?q=sandbox-think');
  expect(problems).toEqual([]);
});

test('a request id leads to its row in the logs', async () => {
  const { page } = await openPage(browser);
  await callOnce(site, key);
  await openSession(page, site);
  await visit(page, site, '/token');
  const id = await page.evaluate(async () => {
    const response = await fetch('/api/log/self?p=1&page_size=10&type=2', {
      headers: { 'new-api-user': '1' },
    });
    const answer = (await response.json()) as { data: { items: { request_id: string }[] } };
    return answer.data.items[0]?.request_id ?? '';
  });
  await ask(page, id);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/log?request=${id}*`);
  await page.getByRole('button', { name: 'Expand', exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Expand', exact: true }).count()).toBe(1);
});

test('the same keys close it, and the language changes at once', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await ask(page, 'Chinese');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: '使用记录' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(problems).toEqual([]);
});

/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, settle, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import type { Site } from './support/site.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

/** Vendors are polled every few seconds; the sandbox's pictures take four. */
const made = { timeout: 90_000 };

/** The prompts of all drawings, at $0.10 each. */
const asked: string[] = [];

async function draw(prompt: string): Promise<string> {
  asked.push(prompt);
  const answer = await fetch(`${site.url}/mj/submit/imagine`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ prompt }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { result: string }).result;
}

const rowOf = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words });

test('a drawing that was requested by the API appears on the page, updates, and opens; its price links to the log', async () => {
  // Fails during this test; the next test uses it.
  await draw('sandbox-fail: a broken pencil');
  const id = await draw('a lighthouse at dusk');
  const { page, problems } = await openLoggedIn({ site, browser });
  await visit(page, site, '/midjourney');
  const row = rowOf(page, 'a lighthouse at dusk');
  await row.getByRole('progressbar').waitFor();
  // No click is needed: the page refreshes by itself.
  await row.getByText('Done').waitFor(made);
  // All columns of an administrator fit beside each other on a laptop.
  await page.setViewportSize({ width: 1440, height: 900 });
  const frame = row.locator('xpath=ancestor::table/..');
  expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await row.getByRole('button', { name: 'View' }).click();
  const picture = page.getByRole('dialog').getByRole('img', { name: 'a lighthouse at dusk' });
  await expect
    .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), made)
    .toBeGreaterThan(1);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('link', { name: 'Show the call' }).click();
  const charge = rowOf(page, 'mj_imagine');
  await charge.getByRole('link', { name: 'Task', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/midjourney' && url.searchParams.get('open') === id);
  await picture.waitFor();
  expect(problems).toEqual([]);
}, 180_000);

test('a drawing that fails is refunded, on the page and in the log, in Chinese as well', async () => {
  const { page, problems } = await openLoggedIn(
    { site, browser },
    { look: { language: 'zh', theme: 'dark' } },
  );
  await visit(page, site, '/midjourney');
  const row = rowOf(page, 'a broken pencil');
  await row.getByText('失败', { exact: true }).waitFor(made);
  await row.getByRole('link', { name: '已退款' }).click();
  await page.waitForURL('**/log?*');
  await settle(page);
  const refund = rowOf(page, '退款');
  await refund.getByRole('button', { name: '展开' }).click();
  await page.getByText('the sandbox plays a drawing that fails').first().waitFor();
  await page.getByRole('link', { name: '查看原扣费记录' }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await visit(page, site, '/gallery?kind=picture');
  await page.getByRole('listitem').filter({ hasText: 'a broken pencil' }).getByText('已退款').waitFor();
  await visit(page, site, '/detail');
  await page.getByText('mj_imagine').first().waitFor();
  // The charge of a failed drawing was returned: figure, chart, models and keys agree.
  const paid = asked.filter((prompt) => !prompt.startsWith('sandbox-fail')).length;
  const shown = (drawings: number) => page.getByText(`$${(drawings * 0.1).toFixed(6)}`, { exact: true });
  await expect.poll(() => shown(paid).count()).toBeGreaterThan(3);
  expect(await shown(asked.length).count()).toBe(0);
  expect(problems).toEqual([]);
}, 180_000);

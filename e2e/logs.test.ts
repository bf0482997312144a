/** @module-tag deep */
import { readFileSync } from 'node:fs';
import { type LogData, product } from '@tollgate/contract';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { accessFaults, overflows, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { callOnce, saveOptions, type Site } from './support/site.ts';
import { converse, makeVariousCalls } from './support/various-calls.ts';

let site: Site;
let browser: Browser;
let key: string;
openStage((stage) => {
  ({ site, browser, key } = stage);
});

const rowOf = (page: Page, words: string) =>
  page.locator('table[aria-label="Calls"] > tbody > tr').filter({ hasText: words }).first();

/** A call whose names all have the maximum length. */
const withLongNames = (row: LogData): LogData => ({
  ...row,
  username: 'somebody-with-a-name',
  model_name: 'vendor/a-model-with-a-name-that-is-long-2026-11-26-preview',
  token_name: 'the token of a job that runs each night',
  channel_name: 'a channel in another region of the world',
  group: 'a-group-whose-name-says-what-it-is-for',
  prompt_tokens: 1_234_567,
  completion_tokens: 123_456,
  team_id: 1,
  team_name: 'The organisation that paid for it all',
  other: JSON.stringify({
    ...(JSON.parse(row.other || '{}') as object),
    is_model_mapped: true,
    upstream_model_name: 'x',
  }),
});

describe('rows of special calls', () => {
  beforeAll(() => makeVariousCalls(site, key));

  test('show their kind, and their receipts add up', async () => {
    const { page, problems } = await openLoggedIn({ browser, site });
    await visit(page, site, '/log');
    const images = rowOf(page, 'sandbox-image');
    expect(await images.innerText()).toContain('2 images');
    // No part of a row is outside its frame on a usual screen.
    const table = page.getByRole('table', { name: 'Calls' });
    const beyond = await table.evaluate((each) => each.scrollWidth - (each.parentElement?.clientWidth ?? 0));
    expect(beyond).toBeLessThanOrEqual(0);
    await images.getByRole('button', { name: 'Expand' }).click();
    const bill = page.locator('table tfoot').locator('..');
    await bill.waitFor();
    expect(await bill.innerText()).toMatch(/Images\s+2\s+\$0\.02 each\s+\$0\.040000/);
    await page.getByText('Matches the ledger').waitFor();
    expect(await page.getByText(/Ratios:/).innerText()).toContain('Size and quality 2');
    expect(await accessFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('with long names show their details', async () => {
    const { page, problems } = await openLoggedIn({ browser, site });
    await page.route('**/api/log/?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { items: LogData[] } };
      body.data.items = body.data.items.map(withLongNames);
      await route.fulfill({ response, json: body });
    });
    await visit(page, site, '/log');
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('vendor/a-model').first().waitFor();
    const details = table.locator('[data-fills]');
    const hidden = await details.evaluateAll(
      (cells) =>
        cells.filter((cell) => {
          const { right, top, width, height } = cell.getBoundingClientRect();
          const atEnd = document.elementFromPoint(right - 4, top + height / 2);
          const atStart = document.elementFromPoint(right - width + 4, top + height / 2);
          return !cell.contains(atEnd) || !cell.contains(atStart);
        }).length,
    );
    expect(await details.count()).toBeGreaterThan(1);
    expect(hidden).toBe(0);
    expect(problems).toEqual([]);
  });

  test('of one realtime session are listed together', async () => {
    await converse(site, key, 3);
    const { page, problems } = await openLoggedIn({ browser, site });
    await visit(page, site, '/log');
    const tags = page.getByRole('link', { name: 'Realtime' });
    await expect.poll(() => tags.count()).toBe(5);
    await tags.first().click();
    await page.waitForURL('**/log?*request=*');
    await expect.poll(() => tags.count()).toBe(3);
    await page.reload();
    await expect.poll(() => tags.count()).toBe(3);
    expect(problems).toEqual([]);
  });

  test('fit a phone, in Chinese', async () => {
    const { page, problems } = await openLoggedIn(
      { browser, site },
      { look: { language: 'zh', phone: true, theme: 'dark' } },
    );
    await visit(page, site, '/log');
    const card = page.getByRole('listitem').filter({ hasText: '实时' }).first();
    await card.getByRole('button', { name: '展开' }).click();
    await page.getByText('与账本一致').waitFor();
    await page.getByRole('link', { name: '查看整个会话的记录' }).waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await accessFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('the page of a run shows its limits, its sub-runs as a tree and its receipt, also on a phone', async () => {
  for (const run of ['nightly; max=0.5', 'nightly/search', 'nightly/search/web', 'nightly/sort'])
    await fetch(`${site.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        [product.headers.run]: run,
      },
      body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
    });
  for (const look of [undefined, { language: 'zh', phone: true, theme: 'dark' } as const]) {
    const { page, problems } = await openLoggedIn({ browser, site }, look && { look });
    await visit(page, site, '/log?tag=run%3Dnightly');
    const name = look ? '账目' : 'Receipt';
    await page.getByRole('button', { name }).click();
    const call = page.locator(`[aria-label="${name}"]`).getByRole(look ? 'listitem' : 'row');
    await expect.poll(() => call.count()).toBeGreaterThanOrEqual(4);
    expect(await overflows(page)).toBe(false);
    expect(await accessFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  }
});

/** Exports the shown log; returns the file's name and its lines, split at commas. */
async function exported(page: Page, kind: 'Readable' | 'Raw') {
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: kind }).click(),
  ]);
  const [head = '', ...rows] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  const names = head.replace('\uFEFF', '').split(',');
  return { file: download.suggestedFilename(), names, rows: rows.map((row) => row.split(',')) };
}

test('the export has the rows that the filters show, as readable and as raw data', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/log?model=%3Dsandbox-image');
  const raw = await exported(page, 'Raw');
  expect(raw.file).toMatch(/^tollgate-log-\d{4}-\d\d-\d\d-raw\.csv$/);
  expect(raw.names.slice(0, 3)).toEqual(['time', 'type', 'username']);
  expect(raw.rows).toHaveLength(1);
  expect(raw.rows[0]?.[raw.names.indexOf('model_name')]).toBe('sandbox-image');
  // Two images at one cent, each counted twice for its size.
  expect(raw.rows[0]?.[raw.names.indexOf('quota')]).toBe('20000');
  await page.getByText('Exported 1 row').waitFor();
  const people = await exported(page, 'Readable');
  expect(people.rows[0]?.[people.names.indexOf('Cost (USD)')]).toBe('0.040000');
  expect(people.rows[0]?.[people.names.indexOf('Type')]).toBe('Usage');
  expect(problems).toEqual([]);
});

/** Counts changes in the table from now on: added and removed rows, and other changes inside it. */
const watchTable = (page: Page) =>
  page.evaluate(() => {
    const counts = { rows: 0, other: 0 };
    Object.assign(window, { counts });
    const body = document.querySelector('table[aria-label="Calls"] > tbody');
    if (!body) throw new Error('no table');
    const before = [...body.children];
    new MutationObserver((records) => {
      for (const { target, addedNodes, removedNodes, type } of records) {
        if (type === 'childList' && target === body) counts.rows += addedNodes.length + removedNodes.length;
        // An added row may change itself until it is complete.
        else if (before.some((row) => row.contains(target))) counts.other += 1;
      }
    }).observe(body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
const readCounts = (page: Page) =>
  page.evaluate(() => (window as unknown as { counts: { rows: number; other: number } }).counts);

test('a hundred live rows are not rendered again when one is added', { tags: ['deep'] }, async () => {
  for (let made = 0; made < 100; made += 1) await callOnce(site, key);
  const { page, problems } = await openLoggedIn({ browser, site });
  await page.evaluate(() => localStorage.setItem('page-size', '100'));
  await visit(page, site, '/log');
  await expect.poll(() => page.locator('table[aria-label="Calls"] > tbody > tr').count()).toBe(100);
  await watchTable(page);
  const asked = () => page.waitForResponse((response) => response.url().includes('/api/log/?'));
  await page.getByRole('switch', { name: 'Live' }).focus();
  await page.keyboard.press('Space');
  await asked();
  await asked();
  expect(await readCounts(page)).toEqual({ rows: 0, other: 0 });
  await callOnce(site, key, 'sandbox-think');
  await rowOf(page, 'sandbox-think').waitFor();
  // One row is added at the top, one removed at the end; the others do not change.
  expect(await readCounts(page)).toEqual({ rows: 2, other: 0 });
  expect(problems).toEqual([]);
});

test('captured texts of a call are shown when they are asked for, redacted, also on a phone', async () => {
  await saveOptions(site, { ContentCapture: '["key:1"]', ContentRedactions: '\\d{4}' });
  await fetch(`${site.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'my card 4242 is lost' }] }),
  });
  for (const look of [undefined, { language: 'zh', phone: true, theme: 'dark' } as const]) {
    const { page, problems } = await openLoggedIn({ browser, site }, look && { look });
    await visit(page, site, '/log');
    const row = look ? page.getByRole('listitem') : page.getByRole('row');
    const called = row.filter({ hasText: 'sandbox' }).first();
    await called.getByRole('button', { name: look ? '展开' : 'Expand' }).click();
    await page.getByRole('button', { name: look ? '查看内容' : 'Show content' }).click();
    await page.getByText(/^my card .+ is lost/).waitFor();
    expect(await page.getByText('4242').count()).toBe(0);
    expect(await overflows(page)).toBe(false);
    expect(await accessFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  }
});

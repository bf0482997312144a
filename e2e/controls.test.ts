/** @module-tag deep */
import type { Browser, Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, settle, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { callOnce, type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
  await callOnce(site, stage.key);
});

test('typing after a click in a searchable select searches', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/playground');
  const model = page.getByRole('combobox', { name: 'Model', exact: true });
  await model.click();
  await page.keyboard.type('slow');
  expect(await model.inputValue()).toBe('slow');

  await visit(page, site, '/channel/add');
  const provider = page.getByRole('dialog').getByRole('combobox', { name: 'Provider' });
  await provider.click();
  await page.keyboard.type('deepseek');
  await page.keyboard.press('Enter');
  expect(await provider.inputValue()).toBe('DeepSeek');
  // Typing replaces a just chosen value as well.
  await page.keyboard.type('anthropic');
  expect(await provider.inputValue()).toBe('anthropic');
  await context.close();
});

test('the addresses of the forms open them, and closing them returns to the list', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/channel/add');
  await page.getByRole('dialog', { name: 'Add a channel' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(`${site.url}/channel`);
  await visit(page, site, '/channel/edit/1');
  await page.getByRole('dialog', { name: 'Edit the channel' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(`${site.url}/channel`);
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${site.url}/channel`);
  await context.close();
});

test('a narrow window shows the main columns of the channels', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await page.setViewportSize({ width: 1024, height: 768 });
  await visit(page, site, '/channel');
  const columns = await page.getByRole('columnheader').allInnerTexts();
  expect(columns).toEqual(expect.arrayContaining(['Name', 'Status', 'Used / balance', 'Actions']));
  const table = page.getByRole('table', { name: 'Channels' });
  expect(await table.evaluate((each) => each.scrollWidth <= (each.parentElement?.clientWidth ?? 0))).toBe(
    true,
  );
  await context.close();
});

test.each(['light', 'dark'] as const)(
  'forms over a page have no accessibility violation (%s)',
  async (theme) => {
    const { page, context } = await openLoggedIn({ browser, site }, { look: { theme } });
    const faults: string[] = [];
    for (const path of ['/channel/add', '/channel/edit/1', '/token?edit=new', '/redemption?edit=new']) {
      await visit(page, site, path);
      await page.getByRole('dialog').waitFor();
      faults.push(...(await accessFaults(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
    await context.close();
  },
);

test.each([{}, { phone: true, theme: 'dark' }] as const)(
  'open lists, menus and receipts have no accessibility violation (%o)',
  async (look) => {
    const { page, context } = await openLoggedIn({ browser, site }, { look });
    const faults: string[] = [];
    const check = async (what: string, opened: Locator) => {
      await opened.waitFor();
      await settle(page);
      faults.push(...(await accessFaults(page)).map((fault) => `${what}: ${fault}`));
    };
    const popups = page.getByRole('region', { name: 'Pop-ups' });

    // Charged calls, with rows that expand into receipts.
    await visit(page, site, '/log?type=2');
    // No pop-up is open, so there is no landmark.
    expect(await popups.count()).toBe(0);
    await page.getByRole('button', { name: 'Expand' }).first().click();
    await check('receipt', page.getByText('Matches the ledger'));
    await page.getByRole('button', { name: 'Export' }).click();
    await check('menu', popups.getByRole('menu'));
    await page.keyboard.press('Escape');
    if ('phone' in look) await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Error');
    await check('filtered list', page.getByRole('button', { name: 'Reset' }));

    await visit(page, site, '/channel/add');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).click();
    await check('list of a form', popups.getByRole('option', { name: 'DeepSeek' }));
    await popups.getByRole('option', { name: 'DeepSeek' }).click();
    expect(await page.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).inputValue()).toBe(
      'DeepSeek',
    );
    await check('form', page.getByRole('dialog'));
    expect(faults).toEqual([]);
    await context.close();
  },
);

test('the selected channels are tested, disabled and enabled together', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/channel');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Test', exact: true }).first().click();
  await page.getByText(/^Test done: all \d+ channels? passed/).waitFor();

  await page.getByRole('button', { name: 'Disable', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByText('1 channel is disabled').waitFor();
  await page.getByRole('row').getByText('Disabled', { exact: true }).waitFor();
  // The rows stay selected, so that one click reverses the action.
  await page.getByRole('button', { name: 'Enable', exact: true }).first().click();
  await page.getByText('1 channel is enabled').waitFor();
  await page.getByRole('row').getByText('Enabled', { exact: true }).waitFor();
  expect(await page.getByRole('row').getByText('Disabled', { exact: true }).count()).toBe(0);
  await context.close();
});

test('the menu of a row opens by the keyboard, and returns the focus to its button each time', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/channel');
  const button = page.getByRole('button', { name: /^More actions/ }).first();
  expect(await button.getAttribute('aria-haspopup')).toBe('menu');
  await button.focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role'));
  for (let time = 0; time < 2; time += 1) {
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('menuitem');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true);
  }
  await context.close();
});

test('Back undoes one filter after the other, and a typed word at once', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/log');
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Error');
  await page.waitForURL('**/log?*type=5*');
  await page.getByRole('textbox', { name: 'Model', exact: true }).fill('gpt');
  await page.waitForURL('**/log?*model=gpt*');
  await page.getByRole('textbox', { name: 'Model', exact: true }).fill('gpt-4o');
  await page.waitForURL('**/log?*model=gpt-4o*');
  await page.goBack();
  await page.waitForURL((url) => url.search.includes('type=5') && !url.search.includes('model'));
  await page.goBack();
  await page.waitForURL((url) => url.pathname === '/log' && !url.search.includes('type'));
  await expect.poll(() => page.getByRole('textbox', { name: 'Model', exact: true }).inputValue()).toBe('');
  await context.close();
});

test('a slash focuses the search field, a question mark lists the shortcuts', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await page.keyboard.press('/');
  await page.keyboard.type('a/b?');
  expect(await page.locator('main input[aria-keyshortcuts="/"]').first().inputValue()).toBe('a/b?');
  await page.locator('main h1').click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await context.close();
});

test('an amount is typed in dollars and stored in quota units', async () => {
  const { page, context } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token?edit=new');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('dollars');
  const quota = drawer.getByRole('textbox', { name: 'Amount (dollars)' });
  expect(await quota.inputValue()).toBe('$1');
  await quota.fill('');
  await quota.pressSequentially('12.345');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await quota.waitFor({ state: 'detached' });
  const stored = await page.evaluate(async () => {
    const response = await fetch('/api/token/search?keyword=dollars', {
      headers: { 'New-Api-User': String(JSON.parse(localStorage.getItem('user') ?? '{}').id) },
    });
    return (await response.json()).data[0].remain_quota as number;
  });
  expect(stored).toBe(6_172_500);
  await context.close();
});

/** @module-tag deep */
import { budgetApi, type BudgetData, teamAdminApi, teamTokenApi } from '@tollgate/contract';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, logIn, openPage, openSession } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { signUp } from './support/people.ts';
import { openTeam } from './support/teams.ts';
import type { Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
});
const pupil = { username: 'pupil', password: 'a good password' };

const listed = async (page: Page) =>
  (await callFrom(page, budgetApi.list.method, budgetApi.list.path)) as BudgetData[];

test('an administrator sets, changes and deletes the budget of a user; Home says when it is nearly used up', async () => {
  await signUp(site, pupil);
  const { page } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/user?keyword=pupil`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: /pupil/ });
  await drawer.getByText('No budgets').waitFor();
  await drawer.getByRole('button', { name: 'Add budget' }).click();
  const form = page.getByRole('dialog', { name: 'Add a budget' });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Please enter a name').waitFor();
  await form.getByLabel('Name').fill('homework');
  await form.getByLabel('Amount per period (dollars)').fill('2');
  expect(await accessFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$2.00 per week').waitFor();
  await drawer.getByText('$2.00 left').waitFor();
  expect(await listed(page)).toMatchObject([
    { name: 'homework', amount: 1_000_000, period: 'week', set_by: 'site', subject: 'pupil' },
  ]);

  await drawer.getByRole('button', { name: 'Change budget homework' }).click();
  const change = page.getByRole('dialog', { name: 'Change budget' });
  await change.getByLabel('Amount per period (dollars)').fill('3');
  await change.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$3.00 left').waitFor();

  const other = await openPage(browser, { language: 'zh', theme: 'dark' });
  await logIn(other.page, site, pupil);
  expect(await accessFaults(other.page)).toEqual([]);

  await drawer.getByRole('button', { name: 'Change budget homework' }).click();
  await change.getByLabel('Amount per period (dollars)').fill('0');
  await change.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$0.00 per week').waitFor();
  await other.page.goto(`${site.url}/detail`);
  const near = other.page.getByText('1 个预算接近用完');
  await expect
    .poll(async () => {
      await other.page.mouse.wheel(0, 2_000);
      return near.count();
    })
    .toBe(1);
  await other.page.getByText('pupil · homework').waitFor();

  await drawer.getByRole('button', { name: 'Delete budget homework' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer.getByText('No budgets').waitFor();
  expect(await listed(page)).toEqual([]);

  await drawer.getByRole('button', { name: 'Add budget' }).click();
  await form.getByLabel('Name').fill('any day');
  await form.getByLabel('Amount per period (dollars)').fill('2');
  await form.getByRole('combobox', { name: 'Period' }).click();
  await page.getByRole('option', { name: 'per day' }).click();
  await form.getByRole('combobox', { name: 'Counted by' }).click();
  await page.getByRole('option', { name: 'Any such time in a row (sliding)' }).click();
  expect(await accessFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$2.00 in any 24 hours').waitFor();
  expect(await listed(page)).toMatchObject([{ name: 'any day', period: 'day', sliding: true }]);

  await drawer.getByRole('button', { name: 'Add budget' }).click();
  await form.getByLabel('Name').fill('rate');
  await form.getByRole('combobox', { name: 'Counts' }).click();
  await page.getByRole('option', { name: 'Tokens in and out' }).click();
  await form.getByLabel('Tokens per period').fill('60000');
  await form.getByRole('combobox', { name: 'Period' }).click();
  await page.getByRole('option', { name: 'per minute' }).click();
  expect(await accessFaults(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('60,000 tokens per minute').waitFor();
  await drawer.getByText('60,000 tokens left').waitFor();
  expect(await listed(page)).toMatchObject([
    { name: 'any day' },
    { name: 'rate', unit: 'tokens', amount: 60_000, period: 'minute', shares: [] },
  ]);
});

test('on a phone, a budget is made by the keyboard alone, and no toast covers a button of the dialog', async () => {
  const { page } = await openLoggedIn({ browser, site }, { look: { phone: true } });
  // Toasts stay, so that the next dialog opens with one.
  await page.addInitScript(() => {
    const later = window.setTimeout;
    window.setTimeout = ((work: () => void, ms: number) =>
      ms === 3_000 ? 0 : later(work, ms)) as typeof later;
  });
  await page.goto(`${site.url}/token?edit=1`);
  const add = page.getByRole('button', { name: 'Add budget' });
  await add.press('Enter');
  const form = page.getByRole('dialog', { name: 'Add a budget' });
  const name = form.getByLabel('Name');
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('by keys');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('3');
  const counted = form.getByRole('combobox', { name: 'Counted by' });
  await counted.press('ArrowDown');
  await page.getByRole('option', { name: /sliding/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => counted.inputValue()).toMatch(/sliding/);
  await form.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('$3.00 in any 7 days').waitFor();
  const toast = page.getByRole('status').getByText('The budget is saved');
  await toast.waitFor();
  await expect.poll(() => add.evaluate((button) => button === document.activeElement)).toBe(true);

  await page.keyboard.press('Enter');
  // Fails if another element is where the button is.
  for (const button of ['Save', 'Cancel', 'Close'])
    await form.getByRole('button', { name: button }).click({ trial: true, timeout: 5_000 });
  expect(await toast.count()).toBe(1);
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('dialog').waitFor();
});

/** A call of a key; resolves with its status at its first byte. */
async function ask(key: string, model: string, content: string): Promise<Response> {
  return fetch(`${site.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
  });
}

test('one file gives a class its weekly budgets and its grants for a term; bars and Home show who has how much left', async () => {
  const teamId = await openTeam(site, 'School');
  const { page } = await openLoggedIn({ browser, site });
  const fund = teamAdminApi.adjust;
  const quota = { id: teamId, quota: 50_000_000, reason: 'term', expires_time: 0 };
  await callFrom(page, fund.method, fund.path.replace(':id', String(teamId)), quota);
  await page.goto(`${site.url}/all-organisations`);
  await page.getByRole('button', { name: 'Import members into “School”' }).click();
  const dialog = page.getByRole('dialog', { name: /Import members into/ });
  const file =
    'username,weekly,grant,grant_until\nada,0.05,20,2099-01-31\nbea,5,20,2099-01-31\ncem,5,20,2099-01-31\n';
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'class.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(file),
  });
  await dialog.getByText('3 rows change, 0 have errors').waitFor();
  await dialog.getByRole('button', { name: 'Import 3 rows' }).click();
  await dialog.getByText('3 rows imported, 0 had errors').waitFor();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download results' }).click();
  const results = readFileSync(await (await download).path(), 'utf8');
  const passwordOf = (name: string): string =>
    new RegExp(`,${name},created,,(\\w+),`).exec(results)?.[1] ?? '';
  await page.keyboard.press('Escape');

  const keys: Record<string, string> = {};
  for (const username of ['ada', 'bea']) {
    const pupilPage = await openLoggedIn(
      { browser, site },
      { person: { username, password: passwordOf(username) } },
    );
    const { method, path } = teamTokenApi.create;
    const made = await callFrom(pupilPage.page, method, path.replace(':id', String(teamId)), {
      id: teamId,
      name: 'laptop',
      unlimited_quota: true,
    });
    keys[username] = (made as { key: string }).key;
  }
  let status = 200;
  for (let calls = 0; calls < 200 && status === 200; calls += 1) {
    const answer = await ask(keys['ada']!, 'sandbox-fast', 'homework '.repeat(2_000));
    ({ status } = answer);
    await answer.text();
  }
  expect(status).toBe(403);
  const running = await ask(keys['bea']!, 'sandbox-slow', 'homework '.repeat(20));
  expect(running.status).toBe(200);

  await page.goto(`${site.url}/organisations/${teamId}?tab=members`);
  await page.getByRole('button', { name: 'Change ada' }).click();
  const ada = page.getByRole('dialog', { name: 'Change ada' });
  await ada.getByText('$0.05 per week').waitFor();
  await ada.getByText('$20.00 until a date').waitFor();
  await page.keyboard.press('Escape');
  await ada.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Change bea' }).click();
  const bea = page.getByRole('dialog', { name: 'Change bea' });
  await bea.getByText('$5.00 per week').waitFor();
  await expect.poll(() => bea.getByText(/^\$\d+\.\d+ held$/).count()).toBe(2);
  await running.text();
  await page.keyboard.press('Escape');

  await page.goto(`${site.url}/detail`);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 2_000);
      return page.getByText('ada · weekly').count();
    })
    .toBe(1);
  expect(await page.getByText('bea · weekly').count()).toBe(0);
});

test.each([
  ['a key', '/token?edit=1', undefined],
  ['an organisation', '/all-organisations', 'Edit “School”'],
  ['a group', '/setting?q=GroupRatio', 'Budgets of group default'],
])('%s has its budgets where it is edited', async (_what, path, button) => {
  const { page } = await openLoggedIn({ browser, site });
  await page.goto(site.url + path);
  if (button !== undefined) await page.getByRole('button', { name: button }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Add budget' }).click();
  const form = page.getByRole('dialog', { name: 'Add a budget' });
  await form.getByLabel('Name').fill('monthly');
  await form.getByLabel('Amount per period (dollars)').fill('7');
  await form.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('$7.00 left').waitFor();
  await expect.poll(() => form.isVisible()).toBe(false);
});

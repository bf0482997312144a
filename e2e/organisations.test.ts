/** @module-tag deep */
import { makeTestCertificate } from '@tollgate/http-engine/testing';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../packages/server/src/testing/upstream/mail-server.ts';
import {
  accessFaults,
  closeVisitors,
  launchBrowser,
  logIn,
  openPage,
  type Watched,
} from './support/browser.ts';
import { signUp } from './support/people.ts';
import { saveOptions, setUp, startSite, type Site } from './support/site.ts';

const bob = { username: 'bob', password: 'his own password' };
let site: Site;
let browser: Browser;
let mail: MailServer;
/** The owner reads English, the member Chinese. */
let owner: Watched;
let member: Watched;
/** The key that the member makes. */
let key = '';
beforeAll(async () => {
  mail = await startMailServer({ certificate: makeTestCertificate(), startTls: false });
  site = await startSite();
  await setUp(site);
  await saveOptions(site, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'robot@gate.example',
    ServerAddress: site.url,
  });
  await signUp(site, bob);
  browser = await launchBrowser();
  owner = await openPage(browser);
  member = await openPage(browser, { language: 'zh', theme: 'dark' });
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  await mail.close();
});

/** A relay call with the member's key; returns its status. */
async function callRelay(): Promise<number> {
  const response = await fetch(`${site.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'sandbox-fast', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.text();
  return response.status;
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

test('an owner creates an organisation, fills its wallet and invites a user by mail', async () => {
  const { page } = owner;
  await logIn(page, site);
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'My organisations' }).click();
  await page.getByText('You are not in any organisation yet').waitFor();
  await page.getByRole('button', { name: 'New organisation' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Research');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Research' }).waitFor();

  await page.getByRole('button', { name: 'Add from my wallet' }).click();
  const fund = page.getByRole('dialog', { name: /Add to the wallet/ });
  await fund.getByLabel('Amount (dollars)').fill('5');
  await fund.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('$5.00 added to the wallet').waitFor();

  await tab(page, 'Invitations');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Username or e-mail address').fill('bob@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('dialog', { name: 'Invitation created' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /bob@example\.com/ }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
});

test('a guest who follows the link logs in, returns with the code, and joins', async () => {
  const { page } = member;
  await expect.poll(() => mail.mails.length).toBe(1);
  const link = /http\S+organisations\/join#\w+/.exec(mail.mails[0]!.text)?.[0] ?? '';
  await page.goto(link);
  await page.waitForURL('**/login?next=*');
  await page.locator('input[autocomplete=username]').fill(bob.username);
  await page.locator('input[autocomplete=current-password]').fill(bob.password);
  await page.locator('form button[type=submit]').click();
  await page.getByText('root 邀请您加入“Research”').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: '接受邀请' }).click();
  await page.getByRole('heading', { level: 1, name: 'Research' }).waitFor();
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['概览', '成员', '令牌', '用量']);
});

test('the member creates a key, calls with it, and both find the call in log and statement', async () => {
  const { page } = member;
  await page.getByRole('button', { name: '新建令牌' }).click();
  await page.getByRole('textbox', { name: '名称' }).fill('laptop');
  await page.getByRole('switch', { name: '无限额度' }).click();
  await page.getByRole('button', { name: '创建', exact: true }).click();
  const code = page.getByLabel(/curl/);
  key = /sk-\w{48}/.exec(await code.first().innerText())![0];
  await page.keyboard.press('Escape');
  expect(await callRelay()).toBe(200);
  await tab(page, '用量');
  await page.getByRole('row', { name: /sandbox-fast/ }).waitFor();

  const { page: other } = owner;
  await tab(other, 'Usage');
  await other.getByRole('row', { name: /bob.*sandbox-fast/ }).waitFor();
  await tab(other, 'Statement');
  await other.getByText('1 call', { exact: true }).waitFor();
  const download = other.waitForEvent('download');
  await other.getByRole('button', { name: 'Export CSV' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  expect(csv).toMatch(/,team,5,2500000,\d+,root,/);
  expect(csv).toMatch(/,usage,-0\.\d+,-\d+,\d+,bob,\d{14}\w+/);
});

test('the owner imports members with a weekly budget from a file, after a preview', async () => {
  const { page } = owner;
  await tab(page, 'Members');
  await page.getByRole('button', { name: 'Import members' }).click();
  const dialog = page.getByRole('dialog', { name: /Import members into/ });
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'members.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('username,weekly,grant,grant_until\nbob,5,20,2099-01-31\nnovice,5,,\nbob,6,,\n'),
  });
  await dialog.getByText('2 rows change, 1 have errors').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows imported, 1 had errors').waitFor();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download results' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  expect(csv).toMatch(/2,bob,changed,,,\r\n3,novice,invited,,,http\S+#\w{40}\r\n4,bob,error,/);
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('button', { name: 'Change bob' }).click();
  const form = page.getByRole('dialog', { name: 'Change bob' });
  await form.getByText('$5.00 per week').waitFor();
  await form.getByText('$20.00 until a date').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
});

test('a limit stops the member, and the owner takes the rest of the wallet', async () => {
  const { page } = owner;
  await tab(page, 'Members');
  await page.getByRole('button', { name: 'Change bob' }).click();
  const form = page.getByRole('dialog', { name: 'Change bob' });
  await form.getByText('Total', { exact: true }).click();
  await form.getByLabel('Amount (dollars)').fill('0');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /bob.*\$0\.00 total/ }).waitFor();
  await expect.poll(callRelay).toBe(403);

  await tab(page, 'Overview');
  await page.getByRole('button', { name: 'Withdraw to my wallet' }).click();
  const out = page.getByRole('dialog', { name: /Withdraw from/ });
  await out.getByLabel('Amount (dollars)').fill('4');
  await out.getByRole('button', { name: 'Withdraw' }).click();
  const question = page.getByRole('dialog', { name: /Move \$4\.00/ });
  await question.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('$4.00 moved to your own wallet').waitFor();
});

test('the member leaves and the key is disabled; the owner deletes the organisation', async () => {
  const { page } = member;
  await tab(page, '成员');
  await page.getByRole('button', { name: '离开组织' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '离开组织' }).click();
  await page.getByText('您还没有加入任何组织').waitFor();
  await expect.poll(callRelay).toBe(401);

  const { page: other } = owner;
  await tab(other, 'Settings');
  await other.getByRole('button', { name: 'Delete' }).click();
  const question = other.getByRole('dialog', { name: 'Delete “Research”?' });
  await question.getByRole('textbox').fill('Research');
  await question.getByRole('button', { name: 'Delete' }).click();
  await other.getByText('“Research” was deleted').waitFor();
  await other.getByText('You are not in any organisation yet').waitFor();
  expect([...owner.problems, ...member.problems].filter((each) => !each.includes('403'))).toEqual([]);
});

/** @module-tag deep */
import { makeTestCertificate } from '@tollgate/http-engine/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FakeTurnstile,
  startFakeTurnstile,
} from '../packages/server/src/testing/upstream/sign-in/fake-turnstile.ts';
import { type MailServer, startMailServer } from '../packages/server/src/testing/upstream/mail-server.ts';
import { closeVisitors, launchBrowser, openPage } from './support/browser.ts';
import { freshName } from './support/people.ts';
import { saveOptions, setUp, startSite, type Site } from './support/site.ts';

/** The last person who signed up, with the current password. */
let ann = { address: '', password: '' };
let site: Site;
let browser: Browser;
let mail: MailServer;
let human: FakeTurnstile;
beforeAll(async () => {
  mail = await startMailServer({ certificate: makeTestCertificate(), startTls: false });
  human = await startFakeTurnstile('site-secret');
  site = await startSite({ TURNSTILE_URL: human.url });
  await setUp(site);
  await saveOptions(site, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'robot@gate.example',
    ServerAddress: site.url,
    EmailVerificationEnabled: 'true',
    TurnstileSiteKey: 'site-key',
    TurnstileSecretKey: 'site-secret',
    TurnstileCheckEnabled: 'true',
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  await human.close();
  await mail.close();
});

/** Every match of this pattern in the mails to an address. */
const inMails = (address: string, form: RegExp): string[] =>
  mail.mails.filter(({ to }) => to.includes(address)).flatMap(({ text }) => form.exec(text)?.[0] ?? []);

/** The newest match of this pattern in the mails, after one more has arrived. */
async function nextInMails(address: string, form: RegExp, before: number): Promise<string> {
  await expect.poll(() => inMails(address, form).length).toBe(before + 1);
  return inMails(address, form).at(-1)!;
}

const codeForm = /\b\d{6}\b/;
const linkForm = /http:\S+/;

async function logIn(page: Page, typed: string, name = ann.address): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.locator('input[autocomplete=username]').fill(name);
  await page.locator('input[autocomplete=current-password]').fill(typed);
  await page.getByText('human check').waitFor();
  await page.getByRole('button', { name: /^(登录|Log in)$/ }).click();
}

test('a new user signs up with a code by mail, in Chinese', async () => {
  const { page, problems } = await openPage(browser, { language: 'zh' });
  const name = freshName('ann');
  ann = { address: `${name}@example.com`, password: 'a good password' };
  await page.goto(`${site.url}/register`);
  await page.getByLabel('用户名').fill(name);
  for (const field of await page.locator('input[autocomplete=new-password]').all())
    await field.fill(ann.password);
  await page.getByLabel('邮箱地址').fill(ann.address);
  await page.getByText('human check').waitFor();
  await page.getByRole('button', { name: '获取验证码' }).click();
  await page.getByText('验证码发送成功').waitFor();
  expect(await page.getByRole('button', { name: /^重试 \(\d+\)$/ }).isDisabled()).toBe(true);
  const code = await nextInMails(ann.address, codeForm, 0);
  await page.getByLabel('验证码', { exact: true }).fill('000000' === code ? '111111' : '000000');
  await page.getByRole('button', { name: '注册', exact: true }).click();
  await page.getByText('验证码错误或已过期').waitFor();
  await page.getByLabel('验证码', { exact: true }).fill(code);
  await page.getByRole('button', { name: '注册', exact: true }).click();
  await page.waitForURL('**/login');
  await logIn(page, ann.password);
  await page.waitForURL('**/token');
  expect(problems).toEqual([]);
});

test('a user who forgot the password signs in by a link that works once, in English', async () => {
  const { page, problems } = await openPage(browser);
  const { address, password: former } = ann;
  const before = inMails(address, linkForm).length;
  await page.goto(`${site.url}/login`);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.waitForURL('**/reset');
  await page.getByLabel('E-mail address').fill(address);
  await page.getByText('human check').waitFor();
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('If an account uses this address').waitFor();
  const link = await nextInMails(address, linkForm, before);
  await page.goto(link);
  await page.getByText(`A new password is generated for ${address}`).waitFor();
  await page.getByRole('button', { name: 'Generate a new password' }).click();
  const made = page.getByText(/^[0-9a-f]{12}$/);
  await made.waitFor();
  ann.password = await made.innerText();
  await page.goto(link);
  await page.getByRole('button', { name: 'Generate a new password' }).click();
  await page.getByText('Reset link is invalid or expired').waitFor();
  await logIn(page, former);
  await page.getByText('Username or password is incorrect').waitFor();
  await logIn(page, ann.password);
  await page.waitForURL('**/token');
  expect(problems).toEqual([]);
});

test('another address is bound on the personal page by a code, and can be used to log in', async () => {
  const { page, problems } = await openPage(browser);
  const other = `${freshName('ann')}@other.example`;
  await logIn(page, ann.password);
  await page.waitForURL('**/token');
  await page.goto(`${site.url}/personal`);
  await page.getByRole('button', { name: 'Change the address' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill(other);
  await dialog.getByText('human check').waitFor();
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await dialog.getByText('The code was sent.').waitFor();
  const code = await nextInMails(other, codeForm, 0);
  await dialog.getByLabel('Verification code').fill(code);
  await dialog.locator('input[autocomplete=current-password]').fill('not the password');
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await dialog.getByText('The password is wrong').waitFor();
  await dialog.locator('input[autocomplete=current-password]').fill(ann.password);
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await page.getByText('E-mail address bound').waitFor();
  await page.getByText(other).first().waitFor();
  ann.address = other;
  const { page: elsewhere } = await openPage(browser);
  await logIn(elsewhere, ann.password);
  await elsewhere.waitForURL('**/token');
  // A refusal has its own status, which the browser records as an error.
  expect(problems.filter((problem) => !problem.includes('403'))).toEqual([]);
});

test('the widget is solved again for each call: every answer was verified once', () => {
  const answers = human.asked.map(({ response }) => response);
  expect(answers.length).toBeGreaterThan(5);
  expect(new Set(answers).size).toBe(answers.length);
  expect(answers.every((answer) => answer.startsWith('passed-site-key-'))).toBe(true);
});

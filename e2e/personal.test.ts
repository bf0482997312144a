/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, logIn, openPage, openSession, visit } from './support/browser.ts';
import { eachLook, openStage } from './support/journeys.ts';
import { freshName, signUp } from './support/people.ts';
import { type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
  const { page, context } = await openPage(browser);
  await openSession(page, site);
  await callFrom(page, 'PUT', '/api/option/', { key: 'QuotaForInviter', value: '1500000' });
  await context.close();
});

const password = 'her first password';
const words = {
  en: {
    role: 'User',
    username: 'Username',
    displayName: 'Display name',
    save: 'Save',
    saved: 'Account saved',
    passwordRequired: 'Please enter your current password',
    currentPassword: 'Current password',
    reward: 'Available reward',
    amount: 'Amount to transfer (dollars)',
    move: 'Transfer to balance',
    moveTooSmall: 'The minimum transfer is $1.00',
    moveTooMuch: 'The reward does not cover it',
    moved: 'Transferred',
    notBound: 'Not bound',
    byWebhook: 'By webhook',
    threshold: 'Warning threshold (dollars)',
    webhook: 'Webhook address',
    webhookMissing: 'The webhook address must not be empty',
    webhookInsecure: 'The webhook address must begin with https://',
    secret: 'Secret',
    secretAgain: 'The webhook address has changed, please enter its secret again',
    noticesSaved: 'Notification settings saved',
    unpriced: 'Accept models without a price',
    settingsSaved: 'Settings updated',
    original: 'Current password',
    next: 'New password',
    again: 'New password again',
    change: 'Change the password',
    originalRequired: 'Please enter the current password!',
    nextRequired: 'Please enter a new password!',
    unchanged: 'The new password must differ from the current one!',
    mismatch: 'The two passwords do not match!',
    wrongOriginal: 'Original password is incorrect',
    changed: 'Your password is changed',
    end: 'End the session on',
    ended: 'The session is ended',
    endOthers: 'End all others',
    othersEnded: 'All other sessions are ended',
    token: 'Create an access token',
    confirmPassword: 'Enter your current password to continue',
    wrongPassword: 'The password is wrong',
    tokenName: 'Show System access token',
    newTokenName: 'Name',
    remove: 'Delete my account',
    typeName: 'Type your username',
    removed: 'Your account is deleted',
    refused: 'Username or password is incorrect, or user has been banned',
  },
  zh: {
    role: '普通用户',
    username: '用户名',
    displayName: '显示名称',
    save: '保存',
    saved: '个人信息已更新',
    passwordRequired: '请输入当前密码',
    currentPassword: '当前密码',
    reward: '待使用收益',
    amount: '划转额度（美元）',
    move: '划转到余额',
    moveTooSmall: '划转金额最低为 $1.00',
    moveTooMuch: '邀请额度不足！',
    moved: '划转成功',
    notBound: '未绑定',
    byWebhook: 'Webhook 通知',
    threshold: '额度预警阈值（美元）',
    webhook: 'Webhook 地址',
    webhookMissing: 'Webhook 地址不能为空',
    webhookInsecure: 'Webhook 地址必须以 https:// 开头',
    secret: '接口凭证',
    secretAgain: 'Webhook 地址已更改，请重新填写密钥',
    noticesSaved: '通知设置已更新',
    unpriced: '接受未设置价格的模型',
    settingsSaved: '设置已更新',
    original: '原密码',
    next: '新密码',
    again: '确认新密码',
    change: '修改密码',
    originalRequired: '请输入原密码！',
    nextRequired: '请输入新密码！',
    unchanged: '新密码需要和原密码不一致！',
    mismatch: '两次输入的密码不一致！',
    wrongOriginal: '原密码错误',
    changed: '密码修改成功！',
    end: '结束会话：',
    ended: '会话已结束',
    endOthers: '结束所有其他会话',
    othersEnded: '其他会话已全部结束',
    token: '生成令牌',
    confirmPassword: '请输入当前密码以继续',
    wrongPassword: '密码错误',
    tokenName: '显示系统访问令牌',
    newTokenName: '名称',
    remove: '删除账户',
    typeName: '请输入您的账户名',
    removed: '账户已删除！',
    refused: '用户名或密码错误，或用户已被封禁',
  },
} as const;
type Words = (typeof words)['en' | 'zh'];
const languages = ['en', 'zh'] as const;

/** A new person for each test, so that tests do not wait for each other. */
async function arrive(
  stem: string,
  language: 'en' | 'zh',
): Promise<{ name: string; page: Page; problems: string[] }> {
  const name = freshName(stem);
  await signUp(site, { username: name, password });
  const { page, problems } = await openPage(browser, { language });
  await openSession(page, site, { username: name, password });
  await visit(page, site, '/personal');
  return { name, page, problems };
}

/** One of the sections of the page. */
const section = (page: Page, id: string) => page.locator(`main #${id}`);

eachLook(languages, (language) => {
  const say: Words = words[language];

  test('a user changes their display name freely; another username needs the password', async () => {
    const { name, page, problems } = await arrive('name', language);
    const account = section(page, 'account');
    await account.getByText(say.role, { exact: true }).waitFor();
    await account.getByLabel(say.displayName).fill('Ann of the hills');
    await account.getByRole('button', { name: say.save }).click();
    await page.getByText(say.saved).waitFor();
    await page.locator('header').getByText('A', { exact: true }).waitFor();

    await account.getByLabel(say.username).fill(`${name}-2`);
    await account.getByRole('button', { name: say.save }).click();
    await account.getByText(say.passwordRequired).waitFor();
    await account.getByLabel(say.currentPassword).fill('not the password');
    await account.getByRole('button', { name: say.save }).click();
    await account.getByText(say.wrongOriginal).waitFor();
    await account.getByLabel(say.currentPassword).fill(password);
    await account.getByRole('button', { name: say.save }).click();
    await account.getByLabel(say.currentPassword).waitFor({ state: 'detached' });
    const other = await openPage(browser, { language });
    await logIn(other.page, site, { username: `${name}-2`, password });
    expect(problems).toEqual([]);
  });

  test('a user who invites others earns a reward, and moves it to the balance', async () => {
    const { page, problems } = await arrive('host', language);
    const invitation = section(page, 'invitation');
    await invitation.getByText(say.moveTooSmall).waitFor();
    const link = await invitation.getByText('/register?aff=').innerText();
    const { page: guest } = await openPage(browser, { language });
    await guest.goto(link);
    await guest.locator('input[autocomplete=username]').fill(freshName('guest'));
    for (const field of await guest.locator('input[autocomplete=new-password]').all())
      await field.fill(password);
    await guest.locator('form button[type=submit]').click();
    await guest.waitForURL('**/login*');

    await page.reload();
    await invitation.getByText('$3.00').first().waitFor();
    const amount = invitation.getByLabel(say.amount);
    const move = invitation.getByRole('button', { name: say.move });
    await amount.fill('0.5');
    await move.click();
    await invitation.getByText(say.moveTooSmall).waitFor();
    await amount.fill('4');
    await move.click();
    await invitation.getByText(say.moveTooMuch).waitFor();
    await amount.fill('2.5');
    await move.click();
    await page.getByText(say.moved).waitFor();
    await section(page, 'balance').getByText('$2.50').waitFor();
    await invitation.getByText('$0.50').waitFor();
    expect(problems).toEqual([]);
  });

  test('notices go by webhook over https, with a secret that is never shown', async () => {
    const { page, problems } = await arrive('told', language);
    const notices = section(page, 'notices');
    const save = notices.getByRole('button', { name: say.save });
    await section(page, 'bindings').getByText(say.notBound).waitFor();
    await notices.getByText(say.byWebhook).click();
    await notices.getByRole('button', { name: '$10' }).click();
    await save.click();
    await notices.getByText(say.webhookMissing).waitFor();
    await notices.getByLabel(say.webhook).fill('http://hook.example/x');
    await save.click();
    await notices.getByText(say.webhookInsecure).waitFor();
    await notices.getByLabel(say.webhook).fill('https://hook.example/x');
    await notices.locator('input[type=password]').fill('a secret word');
    await save.click();
    await page.getByText(say.noticesSaved).waitFor();

    await page.reload();
    await notices.getByLabel(say.webhook).waitFor();
    expect(await notices.getByLabel(say.threshold).inputValue()).toBe('$10');
    expect(await notices.getByLabel(say.webhook).inputValue()).toBe('https://hook.example/x');
    expect(await page.content()).not.toContain('a secret word');
    await notices.getByLabel(say.webhook).fill('https://other.example/x');
    await save.click();
    await notices.getByText(say.secretAgain).waitFor();

    // The switch of the prices saves itself and keeps unsaved input in other fields.
    const prices = section(page, 'prices').getByRole('switch', { name: say.unpriced });
    await prices.click();
    await page.getByText(say.settingsSaved).waitFor();
    expect(await prices.isChecked()).toBe(true);
    expect(await notices.getByLabel(say.webhook).inputValue()).toBe('https://other.example/x');
    await page.reload();
    await prices.waitFor();
    expect(await prices.isChecked()).toBe(true);
    expect(await notices.getByLabel(say.webhook).inputValue()).toBe('https://hook.example/x');
    expect(problems).toEqual([]);
  });

  test('a new password is validated with a message, and ends the other sessions', async () => {
    const { name, page, problems } = await arrive('safe', language);
    const { page: elsewhere } = await openPage(browser, { language });
    await openSession(elsewhere, site, { username: name, password });
    const form = section(page, 'password');
    const change = form.getByRole('button', { name: say.change });
    const [original, next, again] = [0, 1, 2].map((at) => form.locator('input:not([hidden])').nth(at));
    await change.click();
    await form.getByText(say.originalRequired).waitFor();
    await form.getByText(say.nextRequired).waitFor();
    await original?.fill('not the password');
    await next?.fill('not the password');
    await again?.fill('another');
    await change.click();
    await form.getByText(say.unchanged).waitFor();
    await form.getByText(say.mismatch).waitFor();
    await next?.fill('her second password');
    await again?.fill('her second password');
    await change.click();
    await form.getByText(say.wrongOriginal).waitFor();
    await original?.fill(password);
    await change.click();
    await page.getByText(say.changed).waitFor();
    expect(await next?.inputValue()).toBe('');

    await elsewhere.goto(`${site.url}/topup`);
    await elsewhere.waitForURL('**/login?*');
    await logIn(elsewhere, site, { username: name, password: 'her second password' });
    expect(problems).toEqual([]);
  });

  test('a session is ended from another, one by itself and all others at once', async () => {
    const { name, page, problems } = await arrive('here', language);
    const arriveElsewhere = async () => {
      const { page: other } = await openPage(browser, { language });
      await openSession(other, site, { username: name, password });
      return other;
    };
    const elsewhere = await arriveElsewhere();
    await page.reload();
    const sessions = section(page, 'sessions');
    await sessions.scrollIntoViewIfNeeded();
    await sessions.getByRole('listitem').nth(1).waitFor();
    await sessions.getByRole('button', { name: say.end }).click();
    await page.getByText(say.ended).waitFor();
    await sessions.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    await elsewhere.goto(`${site.url}/topup`);
    await elsewhere.waitForURL('**/login?*');
    // A single other session has only its own button.
    expect(await sessions.getByRole('button', { name: say.endOthers }).count()).toBe(0);

    const others = [await arriveElsewhere(), await arriveElsewhere()];
    await page.reload();
    await sessions.scrollIntoViewIfNeeded();
    await sessions.getByRole('listitem').nth(2).waitFor();
    await sessions.getByRole('button', { name: say.endOthers }).click();
    await page.getByText(say.othersEnded).waitFor();
    await sessions.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    for (const other of others) {
      await other.goto(`${site.url}/topup`);
      await other.waitForURL('**/login?*');
    }
    await page.goto(`${site.url}/topup`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/topup');
    expect(problems).toEqual([]);
  });

  test('an access token is created with the password, and calls the management API', async () => {
    const { name, page } = await arrive('maker', language);
    const token = section(page, 'access-token');
    await token.getByRole('button', { name: say.token }).click();
    const dialog = page.getByRole('dialog');
    const make = dialog.getByRole('button', { name: say.token });
    expect(await make.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: say.newTokenName, exact: true }).fill('scripts');
    await dialog.getByLabel(say.confirmPassword).fill('not the password');
    await make.click();
    await dialog.getByText(say.wrongPassword).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await dialog.getByLabel(say.confirmPassword).fill(password);
    await make.click();
    await dialog.waitFor({ state: 'detached' });
    await token.getByRole('button', { name: say.tokenName }).click();
    const value = await token.locator('span', { hasText: /^[\w+/=-]{28,}$/ }).innerText();
    const id = await page.evaluate(() => (JSON.parse(localStorage.user as string) as { id: number }).id);
    const reply = await fetch(`${site.url}/api/user/self`, {
      headers: { authorization: value, 'new-api-user': String(id) },
    });
    expect(await reply.json()).toMatchObject({ success: true, data: { username: name } });
  });

  test('an account is deleted by its owner, who types its name and the password', async () => {
    const { name, page } = await arrive('gone', language);
    await section(page, 'removal').getByRole('button', { name: say.remove }).click();
    const dialog = page.getByRole('dialog');
    const agree = dialog.getByRole('button', { name: say.remove });
    await dialog.getByLabel(say.confirmPassword).fill(password);
    await dialog.getByLabel(say.typeName).fill('somebody else');
    expect(await agree.isDisabled()).toBe(true);
    await dialog.getByLabel(say.typeName).fill(name);
    await agree.click();
    await page.waitForURL('**/login');
    await page.getByText(say.removed).waitFor();
    await page.locator('input[autocomplete=username]').fill(name);
    await page.locator('input[autocomplete=current-password]').fill(password);
    await page.locator('form button[type=submit]').click();
    await page.getByText(say.refused).waitFor();
  });
});

test('the super admin cannot delete the account, and every section is linked from the side list', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/personal');
  await section(page, 'account').getByText('Super admin').waitFor();
  await page.getByText('The super admin account cannot be deleted').waitFor();
  // Two screens at 1440 × 900.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1_800);
  expect(await page.getByRole('button', { name: 'Delete my account' }).count()).toBe(0);
  const list = page.getByRole('navigation', { name: 'On this page' });
  for (const link of await list.getByRole('link').all()) {
    await link.click();
    const { hash } = new URL(page.url());
    expect(await page.locator(`main ${hash}`).count(), hash).toBe(1);
  }
  expect(await list.getByRole('link').count()).toBe(12);
  // Content that loads later moves no section to the other column.
  const leftOf = (id: string) => page.locator(`#${id}`).evaluate((part) => part.getBoundingClientRect().left);
  await page.locator('#data').evaluate((part) => (part.style.height = '900px'));
  expect(await leftOf('notices')).toBe(await leftOf('account'));
  expect(await leftOf('prices')).toBeGreaterThan(await leftOf('account'));
  expect(problems).toEqual([]);
});

test('an address that names a section opens at it, also one that its data brings first', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/personal#two-step');
  await expect
    .poll(() => page.locator('#two-step').evaluate((section) => section.getBoundingClientRect().top))
    .toBeLessThan(300);
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
});

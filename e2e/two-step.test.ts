import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFaults, launchBrowser, logIn, openPage, overflows, settle } from './support/browser.ts';
import { promote, signUp } from './support/people.ts';
import { administrator, callOnce, saveOptions, setUp, startSite, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

/** The site by its name: passkeys belong to a name, never to a number. */
let site: Site;
let browser: Browser;
beforeAll(async () => {
  const started = await startSite();
  await callOnce(started, await setUp(started));
  site = { ...started, url: started.url.replace('127.0.0.1', 'localhost') };
  await saveOptions(site, { ServerAddress: site.url });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const password = 'her first password';
const words = {
  en: {
    setUp: 'Set up an app',
    confirm: 'Confirm',
    password: 'Current password',
    appCode: 'Code that the app shows',
    enable: 'Switch on',
    codes: 'Recovery codes',
    kept: 'I have kept them',
    left: (count: number) => `${count} left`,
    code: 'Code',
    makeToken: 'Generate a token',
    madeToken: /Keep it now/,
    addPasskey: 'Add a passkey',
    name: 'Name',
    passkeyAdded: 'The passkey is added',
    passkeyLogin: 'Log in with a passkey',
    usePasskey: 'Use a passkey',
    remove: 'Delete the passkey "laptop"',
    removeIt: 'Delete',
    removed: 'The passkey is deleted',
  },
  zh: {
    setUp: '设置身份验证器',
    confirm: '验证',
    password: '当前密码',
    appCode: '应用显示的验证码',
    enable: '启用',
    codes: '恢复代码',
    kept: '我已保存',
    left: (count: number) => `剩余 ${count} 个`,
    code: '验证码',
    makeToken: '生成令牌',
    madeToken: /请立即保存/,
    addPasskey: '添加通行密钥',
    name: '名称',
    passkeyAdded: '通行密钥已添加',
    passkeyLogin: '使用通行密钥登录',
    usePasskey: '使用通行密钥',
    remove: '删除通行密钥“laptop”',
    removeIt: '删除',
    removed: '通行密钥已删除',
  },
};
type Say = (typeof words)[keyof typeof words];

const twoStep = (page: Page) => page.locator('#two-step');
const dialog = (page: Page) => page.getByRole('dialog').last();

/** Fills the log-in form; what comes after it is the caller's business. */
async function givePassword(page: Page, username: string): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.locator('input[autocomplete=username]').fill(username);
  await page.locator('input[autocomplete=current-password]').fill(password);
  await page.locator('form button[type=submit]').click();
}

/** Logs out, as the menu does. */
async function leave(page: Page): Promise<void> {
  await page.goto(`${site.url}/about`);
  await settle(page);
  await callFrom(page, 'GET', '/api/user/logout');
  await page.evaluate(() => localStorage.removeItem('user'));
}

/** What went wrong beside the refusals that ask who is there, which browsers write down too. */
const faults = (problems: readonly string[]): string[] =>
  problems.filter((problem) => !problem.includes('status of 403'));

/** Gives the password in the dialog that asks who is there. */
async function proveByPassword(page: Page, say: Say): Promise<void> {
  await dialog(page).getByLabel(say.password).fill(password);
  await dialog(page).getByRole('button', { name: say.confirm }).click();
}

/** Keeps the recovery codes that are shown. */
async function keepCodes(page: Page, say: Say): Promise<string[]> {
  await dialog(page).getByRole('button', { name: say.kept }).waitFor();
  const codes = await dialog(page)
    .getByRole('list', { name: say.codes })
    .getByRole('listitem')
    .allInnerTexts();
  await settle(page);
  expect(await accessFaults(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: say.kept }).click();
  return codes;
}

/** Sets an authenticator app up; answers what it shows in so many steps, and the recovery codes. */
async function setUpApp(page: Page, say: Say) {
  await page.goto(`${site.url}/personal#two-step`);
  await twoStep(page).getByRole('button', { name: say.setUp }).click();
  await proveByPassword(page, say);
  await dialog(page).getByLabel(say.appCode).waitFor();
  await settle(page);
  expect(await accessFaults(page)).toEqual([]);
  const secret = (await dialog(page).locator('code').innerText()).replaceAll(' ', '');
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  await dialog(page).getByLabel(say.appCode).fill(code(0));
  await dialog(page).getByRole('button', { name: say.enable }).click();
  return { code, codes: await keepCodes(page, say) };
}

/** Plugs a device in that holds passkeys and always finds its owner. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe.each(['en', 'zh'] as const)('in %s', (language) => {
  const say = words[language];

  test('an app is asked for at log-in and before secrets, and a recovery code stands for it', async () => {
    const name = `app-${language}`;
    await signUp(site, { username: name, password });
    const { page, problems } = await openPage(browser, { language, phone: true, theme: 'dark' });
    const { page: earlier } = await openPage(browser, { language });
    for (const each of [page, earlier]) await logIn(each, site, { username: name, password });
    const { code, codes } = await setUpApp(page, say);
    expect(new Set(codes).size).toBe(10);
    await twoStep(page).getByText(say.left(10)).waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await accessFaults(page)).toEqual([]);

    // A session from before the app asks for it now, and makes the call again by itself.
    await earlier.goto(`${site.url}/personal#access-token`);
    await earlier.locator('#access-token').getByRole('button', { name: say.makeToken }).click();
    await dialog(earlier).getByRole('button', { name: say.makeToken }).click();
    const proof = earlier.getByRole('dialog').filter({ has: earlier.getByLabel(say.code) });
    await proof.getByLabel(say.code).fill(codes[0] ?? '');
    await settle(earlier);
    expect(await accessFaults(earlier)).toEqual([]);
    await proof.getByRole('button', { name: say.confirm }).click();
    await earlier.getByText(say.madeToken).waitFor();

    await leave(page);
    await givePassword(page, name);
    await page.getByLabel(say.code).fill('000000');
    await page.getByRole('button', { name: say.confirm }).click();
    await page.getByRole('alert').waitFor();
    await settle(page);
    expect(await accessFaults(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);
    await page.goto(`${site.url}/token`);
    await page.waitForURL('**/login?*');
    await givePassword(page, name);
    await page.getByLabel(say.code).fill(code(1));
    await page.getByRole('button', { name: say.confirm }).click();
    await page.waitForURL('**/token');

    await leave(page);
    await givePassword(page, name);
    await page.getByLabel(say.code).fill((codes[1] ?? '').toLowerCase());
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
    await page.goto(`${site.url}/personal#two-step`);
    await twoStep(page).getByText(say.left(8)).waitFor();
    expect(faults(problems)).toEqual([]);
  });

  test('a passkey signs in alone and as the second step, and goes when it is deleted', async () => {
    const name = `key-${language}`;
    await signUp(site, { username: name, password });
    const { page, problems } = await openPage(browser, { language });
    await plugIn(page);
    await logIn(page, site, { username: name, password });
    await page.goto(`${site.url}/personal#two-step`);
    await twoStep(page).getByRole('button', { name: say.addPasskey }).click();
    await dialog(page).getByLabel(say.name).fill('laptop');
    await dialog(page).getByRole('button', { name: say.addPasskey }).click();
    await proveByPassword(page, say);
    await page.getByText(say.passkeyAdded).waitFor();
    expect(await keepCodes(page, say)).toHaveLength(10);
    await twoStep(page).getByText('laptop').waitFor();

    await leave(page);
    await page.goto(`${site.url}/login`);
    await page.getByRole('button', { name: say.passkeyLogin }).click();
    await page.waitForURL('**/token');

    await leave(page);
    await givePassword(page, name);
    await page.getByRole('button', { name: say.usePasskey, exact: true }).click();
    await page.waitForURL('**/token');

    await page.goto(`${site.url}/personal#two-step`);
    await twoStep(page).getByRole('button', { name: say.remove }).click();
    await dialog(page).getByRole('button', { name: say.removeIt }).click();
    await page.getByText(say.removed).waitFor();
    await leave(page);
    await logIn(page, site, { username: name, password });
    expect(faults(problems)).toEqual([]);
  });
});

test('an administrator who must have a second factor is led to it, and then administers', async () => {
  const say = words.en;
  const name = 'grace';
  await signUp(site, { username: name, password });
  const { page: found } = await openPage(browser);
  await logIn(found, site, { username: name, password });
  const id = await found.evaluate(
    () => (JSON.parse(localStorage.getItem('user') ?? '{}') as { id: number }).id,
  );
  await promote(site, administrator, id);
  const { page, problems } = await openPage(browser);
  await logIn(page, site, { username: name, password });
  await saveOptions(site, { AdminSecondFactorRequired: 'true' });
  await page.goto(`${site.url}/user`);
  await page.waitForURL('**/personal#two-step');
  await page.getByText(/Until you set up an app or a passkey/).waitFor();
  await settle(page);
  expect(await accessFaults(page)).toEqual([]);
  await setUpApp(page, say);
  await page.goto(`${site.url}/user`);
  await page.getByRole('row', { name: /grace/ }).waitFor();
  expect(faults(problems)).toEqual([]);
});

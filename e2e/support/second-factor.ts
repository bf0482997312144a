import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessFaults, settle } from './browser.ts';
import type { Person } from './people.ts';
import type { Site } from './site.ts';
import { callFrom } from './traffic.ts';

/** The console's texts for setting up and entering a second factor. */
export const factorWords = {
  en: {
    setUp: 'Set up an app',
    confirm: 'Confirm',
    password: 'Current password',
    appCode: 'Code shown by the app',
    enable: 'Turn on',
    codes: 'Recovery codes',
    kept: 'I have saved them',
    code: 'Code',
    addPasskey: 'Add a passkey',
    name: 'Name',
    passkeyAdded: 'Passkey added',
    passkeyLogin: 'Log in with a passkey',
  },
  zh: {
    setUp: '设置身份验证器',
    confirm: '验证',
    password: '当前密码',
    appCode: '应用显示的验证码',
    enable: '启用',
    codes: '恢复代码',
    kept: '我已保存',
    code: '验证码',
    addPasskey: '添加通行密钥',
    name: '名称',
    passkeyAdded: '通行密钥已添加',
    passkeyLogin: '使用通行密钥登录',
  },
} as const;
export type FactorWords = (typeof factorWords)['en' | 'zh'];

export const twoStep = (page: Page) => page.locator('#two-step');
export const dialog = (page: Page) => page.getByRole('dialog').last();

/** Fills in the log-in form; the caller handles the next page. */
export async function givePassword(page: Page, site: Site, { username, password }: Person): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.locator('input[autocomplete=username]').fill(username);
  await page.locator('input[autocomplete=current-password]').fill(password);
  await page.locator('form button[type=submit]').click();
}

/** Enters a code when the log-in asks for one. */
export async function giveCode(page: Page, say: FactorWords, code: string): Promise<void> {
  await page.getByLabel(say.code).fill(code);
  await page.getByRole('button', { name: say.confirm }).click();
}

/** Logs out through the menu. */
export async function leave(page: Page, site: Site): Promise<void> {
  await page.goto(`${site.url}/about`);
  await settle(page);
  await callFrom(page, 'GET', '/api/user/logout');
  await page.evaluate(() => localStorage.removeItem('user'));
}

/** Enters the password in the dialog that asks for proof of identity. */
export async function proveByPassword(page: Page, say: FactorWords, password: string): Promise<void> {
  await dialog(page).getByLabel(say.password).fill(password);
  await dialog(page).getByRole('button', { name: say.confirm }).click();
}

/** Reads and confirms the displayed recovery codes. */
export async function keepCodes(page: Page, say: FactorWords): Promise<string[]> {
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

/** An authenticator app after its set-up. */
export interface SetUpApp {
  /** Code that it shows after a number of steps. */
  code: (steps: number) => string;
  /** Recovery codes from its set-up. */
  codes: string[];
}

/** Sets an authenticator app up. */
export async function setUpApp(
  page: Page,
  site: Site,
  say: FactorWords,
  password: string,
): Promise<SetUpApp> {
  await page.goto(`${site.url}/personal#two-step`);
  await twoStep(page).getByRole('button', { name: say.setUp }).click();
  await proveByPassword(page, say, password);
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

/** Plugs in a device that stores passkeys and always recognises its owner. */
export async function plugIn(page: Page): Promise<void> {
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

/** Starts to add a passkey of the plugged-in device; the caller handles the requested proof. */
export async function beginPasskey(page: Page, site: Site, say: FactorWords): Promise<void> {
  await page.goto(`${site.url}/personal#two-step`);
  await twoStep(page).getByRole('button', { name: say.addPasskey }).click();
  await dialog(page).getByLabel(say.name).fill('laptop');
  await dialog(page).getByRole('button', { name: say.addPasskey }).click();
}

/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accessFaults,
  closeVisitors,
  launchBrowser,
  logIn,
  openPage,
  openSession,
  overflows,
  settle,
} from './support/browser.ts';
import { eachLook } from './support/journeys.ts';
import { freshName, promote, signUp } from './support/people.ts';
import {
  beginPasskey,
  dialog,
  factorWords,
  giveCode,
  givePassword,
  keepCodes,
  leave,
  plugIn,
  proveByPassword,
  setUpApp,
  twoStep,
} from './support/second-factor.ts';
import { administrator, callOnce, saveOptions, setUp, startSite, type Site } from './support/site.ts';

/** A site with a host name: passkeys belong to a host name, never to an IP address. */
async function openSite(): Promise<Site> {
  const started = await startSite();
  await callOnce(started, await setUp(started));
  const named = { ...started, url: started.url.replace('127.0.0.1', 'localhost') };
  await saveOptions(named, { ServerAddress: named.url });
  return named;
}

let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await openSite();
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
});

const password = 'her first password';
const words = {
  en: {
    ...factorWords.en,
    left: (count: number) => `${count} left`,
    makeToken: 'Create an access token',
    tokenName: 'Name',
    madeToken: /Save it now/,
    usePasskey: 'Use a passkey',
    remove: 'Delete the passkey “laptop”',
    removeIt: 'Delete',
    removed: 'Passkey deleted',
  },
  zh: {
    ...factorWords.zh,
    left: (count: number) => `剩余 ${count} 个`,
    makeToken: '生成令牌',
    tokenName: '名称',
    madeToken: /请立即保存/,
    usePasskey: '使用通行密钥',
    remove: '删除通行密钥“laptop”',
    removeIt: '删除',
    removed: '通行密钥已删除',
  },
};
/** Errors, except refusals that ask for proof of identity, which browsers record too. */
const faults = (problems: readonly string[]): string[] =>
  problems.filter((problem) => !problem.includes('status of 403'));

eachLook(['en', 'zh'] as const, (language) => {
  const say = words[language];

  test('an app is required at log-in and before secrets are shown, and a recovery code replaces it', async () => {
    const person = { username: freshName(`app-${language}`), password };
    await signUp(site, person);
    const { page, problems } = await openPage(browser, { language, phone: true, theme: 'dark' });
    const { page: earlier } = await openPage(browser, { language });
    for (const each of [page, earlier]) await openSession(each, site, person);
    const { code, codes } = await setUpApp(page, site, say, password);
    expect(new Set(codes).size).toBe(10);
    await twoStep(page).getByText(say.left(10)).waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await accessFaults(page)).toEqual([]);

    // A session from before the set-up of the app now asks for a code, and repeats the call by itself.
    await earlier.goto(`${site.url}/personal#access-token`);
    await earlier.locator('#access-token').getByRole('button', { name: say.makeToken }).click();
    await dialog(earlier).getByRole('textbox', { name: say.tokenName, exact: true }).fill('scripts');
    await dialog(earlier).getByRole('button', { name: say.makeToken }).click();
    const proof = earlier.getByRole('dialog').filter({ has: earlier.getByLabel(say.code) });
    await proof.getByLabel(say.code).fill(codes[0] ?? '');
    await settle(earlier);
    expect(await accessFaults(earlier)).toEqual([]);
    await proof.getByRole('button', { name: say.confirm }).click();
    await earlier.getByText(say.madeToken).waitFor();

    await leave(page, site);
    await givePassword(page, site, person);
    await giveCode(page, say, '000000');
    await page.getByRole('alert').waitFor();
    await settle(page);
    expect(await accessFaults(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);
    await page.goto(`${site.url}/token`);
    await page.waitForURL('**/login?*');
    await givePassword(page, site, person);
    await giveCode(page, say, code(1));
    await page.waitForURL('**/token');

    await leave(page, site);
    await givePassword(page, site, person);
    await page.getByLabel(say.code).fill((codes[1] ?? '').toLowerCase());
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
    await page.goto(`${site.url}/personal#two-step`);
    await twoStep(page).getByText(say.left(8)).waitFor();
    expect(faults(problems)).toEqual([]);
  });

  test('a passkey signs in alone and as the second step, and no longer once it is deleted', async () => {
    const person = { username: freshName(`key-${language}`), password };
    await signUp(site, person);
    const { page, problems } = await openPage(browser, { language });
    await plugIn(page);
    await openSession(page, site, person);
    await beginPasskey(page, site, say);
    await proveByPassword(page, say, password);
    await page.getByText(say.passkeyAdded).waitFor();
    expect(await keepCodes(page, say)).toHaveLength(10);
    await twoStep(page).getByText('laptop').waitFor();

    await leave(page, site);
    await page.goto(`${site.url}/login`);
    await page.getByRole('button', { name: say.passkeyLogin }).click();
    await page.waitForURL('**/token');

    await leave(page, site);
    await givePassword(page, site, person);
    await page.getByRole('button', { name: say.usePasskey, exact: true }).click();
    await page.waitForURL('**/token');

    await page.goto(`${site.url}/personal#two-step`);
    await twoStep(page).getByRole('button', { name: say.remove }).click();
    await dialog(page).getByRole('button', { name: say.removeIt }).click();
    await page.getByText(say.removed).waitFor();
    await leave(page, site);
    await logIn(page, site, person);
    expect(faults(problems)).toEqual([]);
  });
});

test('an administrator who must have a second factor is redirected to set it up, and may then administer', async () => {
  const say = words.en;
  const person = { username: 'grace', password };
  // A separate site: the requirement applies to root as well, and root could not promote anyone in a second try.
  const strict = await openSite();
  try {
    await signUp(strict, person);
    const { page: found } = await openPage(browser);
    await openSession(found, strict, person);
    const id = await found.evaluate(
      () => (JSON.parse(localStorage.getItem('user') ?? '{}') as { id: number }).id,
    );
    await promote(strict, administrator, id);
    const { page, problems } = await openPage(browser);
    await openSession(page, strict, person);
    await saveOptions(strict, { AdminSecondFactorRequired: 'true' });
    await page.goto(`${strict.url}/user`);
    await page.waitForURL('**/personal#two-step');
    await page.getByText(/until you set up an authenticator app or a passkey/).waitFor();
    await settle(page);
    expect(await accessFaults(page)).toEqual([]);
    await setUpApp(page, strict, say, password);
    await page.goto(`${strict.url}/user`);
    await page.getByRole('row', { name: /grace/ }).waitFor();
    expect(faults(problems)).toEqual([]);
  } finally {
    await strict.close();
  }
});

/** @module-tag deep */
import { makeTestCertificate } from '@tollgate/http-engine/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../packages/server/src/testing/upstream/mail-server.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../packages/server/src/testing/upstream/sign-in/openid-provider.ts';
import {
  accessFaults,
  closeVisitors,
  launchBrowser,
  openPage,
  openSession,
  overflows,
  type Look,
} from './support/browser.ts';
import { consent } from './support/consent.ts';
import { lifeWords, type LifeWords } from './support/life-words.ts';
import { freshName } from './support/people.ts';
import { verifyReceipts } from './support/receipts.ts';
import {
  beginPasskey,
  giveCode,
  givePassword,
  leave,
  plugIn,
  type SetUpApp,
  setUpApp,
} from './support/second-factor.ts';
import { callOnce, saveOptions, setUp, startSite, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

const client = { id: 'gate', secret: 'gate-secret' };
let site: Site;
let browser: Browser;
let mail: MailServer;
let openid: OpenidProvider;
beforeAll(async () => {
  mail = await startMailServer({ certificate: makeTestCertificate(), startTls: false });
  const started = await startSite();
  await setUp(started);
  // With a host name: passkeys belong to a host name, never to an IP address.
  site = { ...started, url: started.url.replace('127.0.0.1', 'localhost') };
  openid = await startOpenidProvider({ ...client, redirectUri: `${site.url}/oauth/oidc` });
  await saveOptions(site, {
    ServerAddress: site.url,
    SignedReceipts: 'true',
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'robot@gate.example',
    EmailVerificationEnabled: 'true',
    'oidc.well_known': openid.wellKnown,
    'oidc.client_id': client.id,
    'oidc.client_secret': client.secret,
    'oidc.enabled': 'true',
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  await openid.close();
  await mail.close();
});

/** A person whose account the test follows, and their browser. */
interface Life {
  page: Page;
  say: LifeWords;
  username: string;
  address: string;
  password: string;
  app: SetUpApp;
  /** Unused recovery codes. */
  codes: string[];
}

/** Waits for a mail to a person that matches the pattern; returns the match. */
async function inMail({ address }: Life, form: RegExp): Promise<string> {
  const found = () =>
    mail.mails.filter(({ to }) => to.includes(address)).flatMap(({ text }) => form.exec(text)?.[0] ?? []);
  await expect.poll(() => found().length).toBeGreaterThan(0);
  return found().at(-1)!;
}

/** The current page has no fault of accessibility, and nothing extends beyond the window. */
async function expectSound({ page }: Life): Promise<void> {
  expect(await accessFaults(page)).toEqual([]);
  expect(await overflows(page)).toBe(false);
}

/** Completes the second step, and checks that nobody is signed in before it. */
async function takeSecondStep({ page, say, codes }: Life, code = codes.pop()!): Promise<void> {
  await page.getByLabel(say.code).waitFor();
  const names = (await page.context().cookies()).map(({ name }) => name);
  expect(names).not.toContain('session');
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  await giveCode(page, say, code);
}

async function signUpByMail(life: Life): Promise<void> {
  const { page, say, username, address, password } = life;
  await page.goto(`${site.url}/register`);
  await page.getByLabel(say.username).fill(username);
  for (const field of await page.locator('input[autocomplete=new-password]').all())
    await field.fill(password);
  await page.getByLabel(say.address).fill(address);
  await page.getByRole('button', { name: say.sendCode }).click();
  const code = await inMail(life, /\b\d{6}\b/);
  await page.getByLabel(say.mailCode, { exact: true }).fill(code);
  await expectSound(life);
  await page.getByRole('button', { name: say.signUp, exact: true }).click();
  await page.waitForURL('**/login');
}

async function logInWithApp(life: Life): Promise<void> {
  const { page, say, password } = life;
  await givePassword(page, site, life);
  await page.waitForURL('**/token');
  Object.assign(life, { app: await setUpApp(page, site, say, password) });
  life.codes.push(...life.app.codes);
  await leave(page, site);
  await givePassword(page, site, life);
  await takeSecondStep(life, life.app.code(1));
  await page.waitForURL('**/token');
}

/** A person who used the factor a moment ago is asked for no further proof. */
async function bindProvider(life: Life): Promise<void> {
  const { page, say, username } = life;
  await page.goto(`${site.url}/personal`);
  await page.getByRole('button', { name: say.bindSite }).click();
  await page.getByRole('dialog').getByRole('button', { name: say.bind, exact: true }).click();
  await consent(page, username);
  await page.waitForURL('**/personal');
  await page.getByRole('button', { name: say.unbindSite }).waitFor();
  await expectSound(life);
}

/** Goes to the provider, which may still know this browser, and returns. */
async function goThroughProvider({ page, say, username }: Life, returned: string): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: say.throughSite }).click();
  const back = page.getByText(returned).or(page.getByLabel(returned));
  await page.locator('input[name=login]').or(back).first().waitFor();
  if (!page.url().startsWith(site.url)) await consent(page, username);
  await back.first().waitFor();
}

async function comeBackThroughProvider(life: Life): Promise<void> {
  const { page, say } = life;
  await leave(page, site);
  await goThroughProvider(life, say.code);
  await takeSecondStep(life);
  await page.waitForURL(`${site.url}/`);
  await page.goto(`${site.url}/token`);
  await page.getByRole('button', { name: say.addToken }).first().waitFor();
}

async function resetPassword(life: Life): Promise<void> {
  const { page, say, address } = life;
  await leave(page, site);
  await page.goto(`${site.url}/reset`);
  await page.getByLabel(say.address).fill(address);
  await page.getByRole('button', { name: say.sendLink }).click();
  await page.getByText(say.linkSent).waitFor();
  await page.goto(await inMail(life, /http:\S+\/user\/reset\S+/));
  await page.getByRole('button', { name: say.makePassword }).click();
  const made = page.getByText(/^[0-9a-f]{12}$/);
  await made.waitFor();
  const former = { ...life };
  life.password = await made.innerText();
  await expectSound(life);
  await givePassword(page, site, former);
  await page.getByText(say.wrongPassword).waitFor();
  await givePassword(page, site, life);
  await takeSecondStep(life);
  await page.waitForURL('**/token');
}

const rowOf = (page: Page, { username }: Life) => page.getByRole('row').filter({ hasText: username });

/** The administrator's page of users, with one of them. */
async function openAdministration(life: Life, language: 'zh' | 'en'): Promise<Page> {
  const { page } = await openPage(browser, { language });
  await openSession(page, site);
  await page.goto(`${site.url}/user?keyword=${life.username}`);
  await rowOf(page, life).waitFor();
  return page;
}

/** The administrator sets a person's balance, with a reason, and sees it. */
async function setBalance(office: Page, life: Life, dollars: number, reason: string): Promise<void> {
  const { say, username } = life;
  await office.getByRole('button', { name: `${say.more}${username}` }).click();
  await office.getByRole('menuitem', { name: say.fund }).click();
  const dialog = office.getByRole('dialog');
  await dialog.getByText(say.setTo, { exact: true }).click();
  await dialog.getByLabel(say.amount).fill(String(dollars));
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await dialog.getByText(say.reasonRequired).waitFor();
  await dialog.getByLabel(say.reason).fill(reason);
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await rowOf(office, life)
    .getByText(`$${dollars.toFixed(2)}`)
    .waitFor();
}

async function makeKey({ page, say }: Life): Promise<string> {
  await page.goto(`${site.url}/token`);
  await page.getByRole('button', { name: say.addToken }).first().click();
  await page.getByRole('textbox', { name: say.tokenName, exact: true }).fill('laptop');
  await page.getByRole('button', { name: say.create, exact: true }).click();
  await page.getByText(say.tokenReady).waitFor();
  const code = await page.getByLabel('curl').first().innerText();
  return /sk-\w{48}/.exec(code)![0];
}

/** Access to the account without the browser: its key, its access token, a copy of its session. */
interface Credentials {
  id: number;
  key: string;
  accessToken: string;
  cookie: string;
}

async function gatherCredentials({ page, say }: Life, key: string): Promise<Credentials> {
  await beginPasskey(page, site, say);
  await page.getByText(say.passkeyAdded).waitFor();
  const accessToken = String(await callFrom(page, 'GET', '/api/user/token'));
  const cookies = await page.context().cookies(site.url);
  const { id } = (await callFrom(page, 'GET', '/api/user/self')) as { id: number };
  return { id, key, accessToken, cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
}

/** Result of each credential: open, or an error code. */
async function openWays({ id, key, accessToken, cookie }: Credentials): Promise<Record<string, string>> {
  const call = async (path: string, headers: Record<string, string>) => {
    const answer = (await (await fetch(site.url + path, { headers })).json()) as {
      success?: boolean;
      code?: string;
      error?: { code: string };
    };
    return answer.error?.code ?? (answer.success === true ? 'open' : (answer.code ?? ''));
  };
  const user = { 'new-api-user': String(id) };
  return {
    key: await call('/v1/models', { authorization: `Bearer ${key}` }),
    accessToken: await call('/api/user/self', { ...user, authorization: accessToken }),
    session: await call('/api/user/self', { ...user, cookie }),
  };
}

/** Checks that the open page and every log-in method are closed. */
async function findAllDoorsShut(life: Life, phone: boolean): Promise<void> {
  const { page, say } = life;
  if (phone) await page.getByRole('button', { name: say.menu, exact: true }).click();
  await page.getByRole('link', { name: say.logPage }).first().click();
  await page.waitForURL('**/login?*');
  await page.getByText(say.expired).waitFor();
  await expectSound(life);
  await givePassword(page, site, life);
  await page.getByText(say.wrongPassword).waitFor();
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: say.passkeyLogin }).click();
  await page.getByText(say.banned).waitFor();
  await goThroughProvider(life, say.banned);
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
}

/** Chinese on a phone, English in the dark theme. */
const variants = [
  { language: 'zh', theme: 'light', phone: true },
  { language: 'en', theme: 'dark', phone: false },
] as const satisfies Look[];

test.each(variants)(
  'an account from its sign-up to its ban and back, in $language, $theme, phone: $phone',
  { timeout: 300_000 },
  async (look) => {
    const { language } = look;
    const { page, problems } = await openPage(browser, look);
    await plugIn(page);
    const username = freshName(`ann-${language}`);
    const address = `${username}@example.com`;
    const begun = { username, address, password: 'a good password', codes: [] };
    const life: Life = { ...begun, page, say: lifeWords[language], app: { code: () => '', codes: [] } };
    await signUpByMail(life);
    await logInWithApp(life);
    await bindProvider(life);
    await comeBackThroughProvider(life);
    await resetPassword(life);

    const office = await openAdministration(life, language);
    await setBalance(office, life, 3, 'paid at the counter');
    const key = await makeKey(life);
    await callOnce(site, key);
    await setBalance(office, life, 0, 'a refund');
    await expect(callOnce(site, key)).rejects.toThrow(/insufficient_user_quota/);
    await setBalance(office, life, 2, 'paid again');
    await callOnce(site, key);

    const credentials = await gatherCredentials(life, key);
    expect(await openWays(credentials)).toEqual({ key: 'open', accessToken: 'open', session: 'open' });
    await page.goto(`${site.url}/topup`);
    await page.getByText('$2.00').first().waitFor();
    await rowOf(office, life).getByRole('button', { name: life.say.ban }).click();
    await rowOf(office, life).getByText(life.say.bannedTag).waitFor();
    // The very next call of each is refused: a ban takes effect at once.
    const shut = { key: 'user_banned', accessToken: 'user_banned', session: 'not_logged_in' };
    expect(await openWays(credentials)).toEqual(shut);
    await findAllDoorsShut(life, look.phone);

    await rowOf(office, life).getByRole('button', { name: life.say.unban }).click();
    await rowOf(office, life).getByText(life.say.activeTag).waitFor();
    expect(await openWays(credentials)).toEqual({
      key: 'open',
      accessToken: 'open',
      session: 'not_logged_in',
    });
    await page.goto(`${site.url}/login`);
    await page.getByRole('button', { name: life.say.passkeyLogin }).click();
    await page.waitForURL('**/token');
    // Every entry of all wallets has a receipt that both verifiers accept.
    expect(await verifyReceipts(site, office)).toBeGreaterThan(0);
    // Browsers record refused calls, and the provider's pages request fonts from other sites.
    expect(problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([]);
  },
);

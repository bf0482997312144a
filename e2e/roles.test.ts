/** @module-tag deep */
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessFaults, openPage, openSession, overflows, visit, type Look } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { listPages, type ListedPage } from './support/pages.ts';
import { promote, signUp, type Person } from './support/people.ts';
import { administrator, callOnce, type Site } from './support/site.ts';

const ann = { username: 'ann', password: 'her own password' };
const bob = { username: 'bob', password: 'his own password' };
let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
  await callOnce(site, stage.key);
  await callOnce(site, stage.key, 'sandbox-fail-500').catch(() => undefined);
  await signUp(site, ann);
  await signUp(site, bob);
  await promote(site, administrator, 3);
});

interface Role {
  name: string;
  person: Person | null;
  look: Look;
  may: readonly string[];
  /** Links of the sidebar that only other roles have. */
  hidden: readonly string[];
}

/** Each role in a different look, so that every role, theme and language is tested once; pages.test.ts has the root user's. */
const roles: Role[] = [
  { name: 'a guest', person: null, look: { language: 'en', theme: 'dark' }, may: ['public'], hidden: [] },
  {
    name: 'a user',
    person: ann,
    look: { language: 'en', theme: 'light' },
    may: ['public', 'user'],
    hidden: ['Models and prices', 'Channels', 'Customers', 'Money', 'Settings'],
  },
  {
    name: 'an administrator',
    person: bob,
    look: { language: 'zh', theme: 'dark' },
    may: ['public', 'user', 'admin'],
    hidden: ['系统设置'],
  },
];

/** Pages that redirect, or that lead to another site: they have their own tests. */
const leadsAway = (path: string) => path === '/setup' || path.startsWith('/chat');
const closedWords = { en: 'This page is for administrators.', zh: '这个页面只对管理员开放。' };
/** An administrator may open everything except the super admin's pages. */
const rootWords = { en: 'This page is for the super admin.', zh: '这个页面只对超级管理员开放。' };

describe.each(roles)('$name', ({ person, look, may }) => {
  const isOpen = ({ access }: ListedPage) => may.includes(access);

  test('opens every page of the role, without an error or an accessibility violation', async () => {
    const { page, problems } = await openPage(browser, look);
    if (person) await openSession(page, site, person);
    const open = listPages().filter((each) => isOpen(each) && !leadsAway(each.path));
    expect(open.length).toBeGreaterThan(3);
    const faults: string[] = [];
    // The second step of a log-in has its own address, and is only for guests.
    const steps = person ? [] : ['/login?step=both'];
    for (const path of [...open.map((each) => each.path), ...steps]) {
      await visit(page, site, path);
      if ((await page.locator('main h1').count()) !== 1) faults.push(`${path}: not exactly one heading`);
      const { [look.language ?? 'en']: words } = may.includes('admin') ? rootWords : closedWords;
      if (await page.getByText(words).count()) faults.push(`${path}: closed`);
      if (await overflows(page)) faults.push(`${path}: wider than the window`);
      faults.push(...(await accessFaults(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** Guests are redirected to the log-in page instead (pages.test.ts). */
const loggedIn = roles.filter(({ person }) => person !== null);

describe.each(loggedIn)('$name', ({ person, look, may, hidden }) => {
  test('is shown on other pages that they need another role, without an error', async () => {
    const { page, problems } = await openPage(browser, look);
    if (person) await openSession(page, site, person);
    const closed = listPages().filter(({ access }) => !may.includes(access));
    expect(closed.length).toBeGreaterThan(0);
    for (const { path } of closed) {
      await visit(page, site, path);
      await page
        .getByText((may.includes('admin') ? rootWords : closedWords)[look.language ?? 'en'])
        .waitFor();
    }
    await visit(page, site, '/token');
    for (const name of hidden)
      expect(await page.getByRole('link', { name, exact: true }).count(), name).toBe(0);
    expect(problems).toEqual([]);
  });
});

test('the dashboard shows an administrator the whole site and its channels, a user only their own', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site, ann);
  await visit(page, site, '/detail');
  expect(await page.getByRole('heading', { name: 'Channel health' }).count()).toBe(0);
  expect(await page.getByRole('radio', { name: 'Everybody' }).count()).toBe(0);
  await page.getByText('No usage in this period').waitFor();

  const { page: other } = await openPage(browser);
  await openSession(other, site, bob);
  await visit(other, site, '/detail');
  await other.getByText('Needs attention').waitFor();
  // Content below the fold loads when it is scrolled into view.
  await other.keyboard.press('End');
  await other.getByRole('heading', { name: 'Channel health' }).waitFor();
  await other.getByText('Latest failures').waitFor();
  await other.getByRole('list').getByText('sandbox-fast').first().waitFor();
});

test('no page may run inline scripts, and content of other users is not executed', async () => {
  for (const path of ['/', '/setup', '/login', '/detail', '/pricing', '/token', '/no/such/page']) {
    const policy = (await fetch(site.url + path)).headers.get('content-security-policy') ?? '';
    const scripts = policy.split('; ').find((each) => each.startsWith('script-src'));
    expect(scripts, path).toBe("script-src 'self'");
  }
  const { page, problems } = await openPage(browser);
  for (const path of ['/pricing', '/login']) {
    await visit(page, site, path);
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.ranInline = true';
      document.body.append(script);
    });
    expect(await page.evaluate(() => 'ranInline' in window)).toBe(false);
  }
  expect(problems.length).toBe(2);
  expect(problems.every((each) => each.includes('Content Security Policy'))).toBe(true);
});

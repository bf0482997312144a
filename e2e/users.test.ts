/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, logIn, openPage, openSession, settle, visit } from './support/browser.ts';
import { eachLook, openStage } from './support/journeys.ts';
import { freshName, promote, signUp } from './support/people.ts';
import { administrator, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage(async (stage) => {
  ({ site, browser } = stage);
  const { page, context } = await openPage(browser);
  await openSession(page, site);
  const GroupRatio = JSON.stringify({ default: 1, vip: 0.5 });
  await callFrom(page, 'PUT', '/api/option/', { key: 'GroupRatio', value: GroupRatio });
  await context.close();
});

const password = 'a good password';
const words = {
  en: {
    add: 'Add user',
    create: 'Create',
    save: 'Save',
    empty: 'Username and password must not be empty!',
    short: 'The password must have at least 8 characters!',
    username: 'Username',
    displayName: 'Display name',
    password: 'Password',
    created: 'The user is created',
    group: 'Group',
    remark: 'Remark',
    saved: 'The user is saved',
    edit: 'Edit',
    more: 'More actions for',
    fund: 'Adjust balance',
    amount: 'Amount (dollars)',
    reason: 'Reason',
    reasonRequired: 'Please enter a reason',
    subtract: 'Subtract',
    tooMuch: 'At most $3.00 can be subtracted',
    apply: 'Adjust',
    funded: 'Balance changed from $0.00 to $3.00',
    taken: 'Balance changed from $3.00 to $1.00',
    disable: 'Disable',
    banned: 'Banned',
    enable: 'Enable',
    active: 'Active',
    promote: 'Promote to admin',
    admin: 'Admin',
    demote: 'Demote to user',
    common: 'User',
    deregister: 'Deregister',
    deleted: 'Deleted',
    search: 'Search ID, name or e-mail',
    nothing: 'No user matches',
  },
  zh: {
    add: '添加用户',
    create: '创建',
    save: '保存',
    empty: '用户名和密码不能为空！',
    short: '密码长度不得小于 8 位！',
    username: '用户名',
    displayName: '显示名称',
    password: '密码',
    created: '用户账户创建成功！',
    group: '分组',
    remark: '备注',
    saved: '用户信息更新成功！',
    edit: '编辑',
    more: '更多操作：',
    fund: '调整额度',
    amount: '额度（美元）',
    reason: '原因',
    reasonRequired: '请填写原因',
    subtract: '减少',
    tooMuch: '用户额度不足，最多可减少 $3.00',
    apply: '确认调整',
    funded: '额度已从 $0.00 调整为 $3.00',
    taken: '额度已从 $3.00 调整为 $1.00',
    disable: '禁用',
    banned: '已封禁',
    enable: '启用',
    active: '已激活',
    promote: '提升为管理员',
    admin: '管理员',
    demote: '降级为普通用户',
    common: '普通用户',
    deregister: '注销',
    deleted: '已注销',
    search: '搜索 ID、用户名、显示名称或邮箱',
    nothing: '没有符合条件的用户',
  },
} as const;
type Words = (typeof words)['en' | 'zh'];

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Opens the menu of a row and chooses an item. */
async function choose(page: Page, name: string, item: string, say: Words): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: new RegExp(`^${say.more}`) })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

interface Newcomer {
  name: string;
  id: number;
}

/** Signs a person up; the id is from an administrator's search. */
async function meet(page: Page, stem: string): Promise<Newcomer> {
  const name = freshName(stem);
  await signUp(site, { username: name, password });
  const data = await callFrom(page, 'GET', `/api/user/search?keyword=${name}`);
  return { name, id: (data as { items: { id: number }[] }).items[0]?.id ?? 0 };
}

async function createUser(page: Page, name: string, say: Words): Promise<void> {
  await page.getByRole('button', { name: say.add }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: say.create, exact: true }).click();
  await drawer.getByText(say.empty).first().waitFor();
  await drawer.getByLabel(say.username, { exact: false }).fill(name);
  await drawer.locator('input[type=password]').fill('short');
  await drawer.getByRole('button', { name: say.create, exact: true }).click();
  await drawer.getByText(say.short).waitFor();
  await drawer.locator('input[type=password]').fill(password);
  await drawer.getByRole('button', { name: say.create, exact: true }).click();
  await page.getByText(say.created).waitFor();
  await rowOf(page, name).waitFor();
}

async function fundUser(page: Page, name: string, say: Words): Promise<void> {
  await choose(page, name, say.fund, say);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(say.amount).fill('3');
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await dialog.getByText(say.reasonRequired).waitFor();
  await dialog.getByLabel(say.reason).fill('paid at the counter');
  expect(await dialog.innerText()).toMatch(/\$0\.00[\s\S]*\$3\.00/);
  expect(await accessFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await page.getByText(say.funded).waitFor();
  await dialog.waitFor({ state: 'detached' });

  await choose(page, name, say.fund, say);
  await dialog.getByText(say.subtract, { exact: true }).click();
  await dialog.getByLabel(say.amount).fill('4');
  await dialog.getByLabel(say.reason).fill('a slip');
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await dialog.getByText(say.tooMuch).waitFor();
  await dialog.getByLabel(say.amount).fill('2');
  await dialog.getByRole('button', { name: say.apply, exact: true }).click();
  await page.getByText(say.taken).waitFor();
  await rowOf(page, name).getByText('$1.00').waitFor();
}

eachLook(['en', 'zh'] as const, (language) => {
  const say: Words = words[language];

  test('a user is created, edited, funded, banned, promoted and deleted', async () => {
    const name = freshName(`ann-${language}`);
    const { page, problems } = await openPage(browser, { language });
    await openSession(page, site);
    await visit(page, site, '/user');
    await createUser(page, name, say);

    await rowOf(page, name).getByRole('button', { name: say.edit }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel(say.displayName).fill(`Ann ${language}`);
    await drawer.getByRole('combobox', { name: say.group }).click();
    await page.getByRole('listbox').getByRole('option', { name: 'vip' }).click();
    await drawer.getByLabel(say.remark).fill('pays late');
    await drawer.getByRole('button', { name: say.save, exact: true }).click();
    await page.getByText(say.saved).waitFor();
    for (const shown of [`Ann ${language}`, 'vip', 'pays late'])
      await rowOf(page, name).getByText(shown).waitFor();

    await fundUser(page, name, say);

    // A banned person is logged out everywhere.
    const { page: theirs } = await openPage(browser, { language });
    await openSession(theirs, site, { username: name, password });
    await rowOf(page, name).getByRole('button', { name: say.disable }).click();
    await rowOf(page, name).getByText(say.banned).waitFor();
    await theirs.goto(`${site.url}/topup`);
    await theirs.waitForURL('**/login?*');
    await rowOf(page, name).getByRole('button', { name: say.enable }).click();
    await rowOf(page, name).getByText(say.active).waitFor();

    await choose(page, name, say.promote, say);
    await page.getByRole('dialog').getByRole('button', { name: say.promote }).click();
    await rowOf(page, name).getByText(say.admin, { exact: true }).waitFor();
    await choose(page, name, say.demote, say);
    await page.getByRole('dialog').getByRole('button', { name: say.demote }).click();
    await rowOf(page, name).getByText(say.common, { exact: true }).waitFor();

    await choose(page, name, say.deregister, say);
    const question = page.getByRole('dialog');
    const agree = question.getByRole('button', { name: say.deregister });
    expect(await agree.isDisabled()).toBe(true);
    await question.getByRole('textbox').fill(name);
    await agree.click();
    await rowOf(page, name).getByText(say.deleted).waitFor();
    expect(await rowOf(page, name).getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('search, group, order and the open form are in the address', async () => {
    const { page } = await openPage(browser, { language });
    await openSession(page, site);
    const { name, id } = await meet(page, 'grouped');
    await callFrom(page, 'PUT', '/api/user/', { id, group: 'vip' });
    await visit(page, site, '/user');
    await page.getByLabel(say.search).fill('nobody like that');
    await page.getByText(say.nothing).waitFor();
    await page.reload();
    await page.getByText(say.nothing).waitFor();
    await visit(page, site, '/user?group=vip');
    await rowOf(page, name).waitFor();
    expect(await rowOf(page, 'root').count()).toBe(0);
    await visit(page, site, '/user');
    await page.getByRole('button', { name: say.username, exact: true }).click();
    await page.waitForURL('**/user?sort=username');
    await settle(page);
    const names = await page.locator('tbody tr td:nth-child(2)').allInnerTexts();
    expect(names.length).toBeGreaterThan(1);
    expect(names).toEqual(names.toSorted());
  });
});

test('an address opens the form of a user or a channel; reload keeps it, Back closes it', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  const { name, id } = await meet(page, 'linked');
  const forms = [
    { path: '/user/add', list: '/user', title: 'Add a user' },
    { path: `/user/edit/${id}`, list: '/user', title: `Edit “${name}”` },
    { path: '/channel/add', list: '/channel', title: 'Add a channel' },
    { path: '/channel/edit/1', list: '/channel', title: 'Edit the channel' },
  ];
  for (const { path, list, title } of forms) {
    await visit(page, site, list);
    await visit(page, site, path);
    const form = page.getByRole('dialog', { name: title });
    await form.waitFor();
    await page.reload();
    await form.waitFor();
    await page.goBack();
    await form.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname, path).toBe(list);
  }
  expect(problems).toEqual([]);
});

test('the form of an unknown user shows a message, and the form of oneself is the personal page', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/user/edit/4711');
  const drawer = page.getByRole('dialog', { name: 'Edit a user' });
  await drawer.getByText('User does not exist').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('edit=');
  await page.goto(`${site.url}/channel/edit/4711`);
  await page.getByRole('dialog').getByText('Not found', { exact: true }).waitFor();
  await page.goto(`${site.url}/user/edit`);
  await page.waitForURL('**/personal');
});

test('input in a form survives a change of the balance beside it', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site);
  const { name } = await meet(page, 'typed');
  await visit(page, site, `/user?keyword=${name}`);
  await page.getByRole('button', { name, exact: true }).click();
  const form = page.getByRole('dialog', { name: `Edit “${name}”` });
  await form.getByLabel('Display name').fill('half a thought');
  await form.getByRole('button', { name: 'Adjust balance' }).click();
  const dialog = page.getByRole('dialog', { name: `Adjust the balance of “${name}”` });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await form.getByLabel('Display name').inputValue()).toBe('half a thought');
  await form.getByRole('button', { name: 'Adjust balance' }).click();
  await dialog.getByLabel('Amount (dollars)').fill('5');
  await dialog.getByRole('button', { name: 'Gift' }).click();
  await dialog.getByRole('button', { name: 'Adjust', exact: true }).click();
  await form.getByText('$5.00').waitFor();
  expect(await form.getByLabel('Display name').inputValue()).toBe('half a thought');
});

test('an administrator acts on users only; a user is shown that the page needs another role', async () => {
  const { page: root } = await openPage(browser);
  await openSession(root, site);
  const boss = await meet(root, 'boss');
  const peer = await meet(root, 'peer');
  const common = await meet(root, 'common');
  for (const { id } of [boss, peer]) await promote(site, administrator, id);
  const { page, problems } = await openPage(browser);
  await openSession(page, site, { username: boss.name, password });
  for (const name of ['root', peer.name, boss.name]) {
    await visit(page, site, `/user?keyword=${name}`);
    await rowOf(page, name).first().waitFor();
    expect(await rowOf(page, name).first().getByRole('button').count(), name).toBe(0);
  }
  await visit(page, site, `/user?keyword=${common.name}`);
  await rowOf(page, common.name)
    .getByRole('button', { name: /^More actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Adjust balance' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Promote to admin' }).count()).toBe(0);

  const { page: users } = await openPage(browser);
  await openSession(users, site, { username: common.name, password });
  await visit(users, site, '/user/edit/1');
  await users.getByText('This page is for administrators.').waitFor();
  expect(problems).toEqual([]);
});

test('an administrator ends a user’s sessions: that user is logged out on every device, and no other', async () => {
  const root = await openPage(browser);
  await openSession(root.page, site);
  const { name, id } = await meet(root.page, 'roamer');
  const devices = [await openPage(browser), await openPage(browser, { language: 'zh', phone: true })];
  for (const { page } of devices) await logIn(page, site, { username: name, password });
  await root.page.goto(`${site.url}/user/edit/${id}`);
  await root.page.getByRole('tab', { name: 'Account history' }).click();
  await root.page.getByRole('list', { name: 'Sessions' }).waitFor();
  await root.page.getByRole('button', { name: 'End all sessions' }).click();
  const question = root.page.getByRole('dialog', { name: `End all sessions of “${name}”?` });
  await question.getByRole('button', { name: 'End all sessions' }).click();
  await root.page.getByText('Not signed in anywhere').waitFor();
  expect(await accessFaults(root.page)).toEqual([]);

  for (const { page } of devices) {
    await page.goto(`${site.url}/token`);
    await page.waitForURL('**/login?expired=true*');
    expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  }
  // The administrator who ended the sessions is still logged in, and the password still works for the other person.
  await visit(root.page, site, '/user');
  await logIn(devices[0]!.page, site, { username: name, password });
});

test('on a phone users are cards with the same actions', async () => {
  const { page } = await openPage(browser, { phone: true });
  await openSession(page, site);
  const { name, id } = await meet(page, 'carded');
  // People choose their display names, which must not cover the site's information about them.
  const shown = '😀'.repeat(20);
  await callFrom(page, 'PUT', '/api/user/', { id, username: name, display_name: shown });
  await visit(page, site, `/user?keyword=${name}`);
  const card = page.getByRole('listitem').filter({ hasText: name });
  const [called, status] = await Promise.all(
    [card.getByTitle(shown), card.getByText('Active')].map((each) => each.boundingBox()),
  );
  expect((called?.x ?? 0) + (called?.width ?? Infinity)).toBeLessThanOrEqual(status?.x ?? 0);
  await card.getByRole('button', { name: 'Expand' }).click();
  await card.getByRole('button', { name: 'Disable' }).click();
  await card.getByText('Banned').waitFor();
  await card.getByRole('button', { name: 'Enable' }).click();
  await card.getByText('Active').waitFor();
  await card.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog', { name: `Edit “${name}”` }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
});

import { screen, within } from '@testing-library/react';
import {
  channelApi,
  channelHealthApi,
  groupApi,
  modelApi,
  redemptionApi,
  selfApi,
  statusApi,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import {
  channelSample,
  channelTypeSample,
  pageWith,
  people,
  redemptionSample,
  statusSample,
  tokenSample,
  userSample,
} from '../../testing/samples.ts';

const demo = (bindsRoot = false) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ demo_site_enabled: true, demo_binds_root: bindsRoot }))
    .answer(redemptionApi.list, { items: [], total: 0, page: 1, page_size: 10 })
    .answer(tokenApi.list, []);
const page = () => document.body.textContent;
const saveButton = async (name: string) =>
  within(await screen.findByRole('dialog')).findByRole('button', { name });

test('a demo site shows a banner, and its forms open but do not save', async () => {
  renderPage('/redemption?edit=new', { server: demo(), as: people.admin });
  expect(await saveButton('Create')).toHaveProperty('disabled', true);
  expect(page()).toContain('Changes are not saved on a demo site.');
  expect(page()).toContain('but not change anything.');
});

const listed = () =>
  demo()
    .answer(selfApi.get, userSample())
    .answer(groupApi.list, ['default'])
    .answer(tokenApi.list, [tokenSample({ name: 'spare' })])
    .answer(redemptionApi.list, pageWith(redemptionSample({ name: 'spare' })))
    .answer(userApi.list, pageWith({ ...userSample({ id: 7, username: 'spare' }), remark: '' }))
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(channelApi.list, { data: [channelSample({ name: 'spare' })], extra: { total: 1 } })
    .answer(channelApi.types, [channelTypeSample()])
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(channelApi.models, [])
    .answer(modelApi.byType, { 1: ['gpt-4o'] });

test.each([
  ['/token', 1],
  ['/redemption', 1],
  ['/user', 1],
  // Testing a channel costs money, and its place in the order is kept in the row.
  ['/channel', 5],
])(
  'the actions of %s are disabled on a demo site where they would be refused, with the reason',
  async (path, count) => {
    renderPage(path, { server: listed(), as: people.admin });
    await screen.findByRole('row', { name: /spare/ });
    const row = () => within(screen.getByRole('row', { name: /spare/ }));
    const asleep = () => row().queryAllByTitle('This is not available on a demo site.');
    await expect.poll(() => asleep().length).toBe(count);
    for (const each of asleep()) expect(each).toHaveProperty('disabled', true);
    expect(row().getAllByRole('button', { name: /^Disable$/ })[0]).toHaveProperty('disabled', true);
  },
);

test('root is not affected by the setting, in Chinese', async () => {
  renderPage('/redemption?edit=new', { server: demo(), as: people.root, language: 'zh' });
  expect(await saveButton('创建')).toHaveProperty('disabled', false);
  expect(page()).not.toContain('但不能修改');
  expect(page()).toContain('演示站点');
});

test('root is affected by the environment variable', async () => {
  renderPage('/redemption?edit=new', { server: demo(true), as: people.root });
  expect(await saveButton('Create')).toHaveProperty('disabled', true);
});

test('a self-use site links neither to a sign-up nor to prices', async () => {
  const server = new FakeServer().answer(statusApi.status, statusSample({ self_use_mode_enabled: true }));
  renderPage('/login', { server, as: null });
  await expect.poll(shown).toContain('Log in to Acme');
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toContain('/about');
  expect(links.filter((href) => href === '/pricing' || href === '/register')).toEqual([]);
});

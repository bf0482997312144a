import { screen, within } from '@testing-library/react';
import { pricingApi, selfApi, statusApi, tokenApi, tokenStatus, type TokenData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample, tokenSample, userSample } from '../../testing/samples.ts';
import { pricingSample, noPriceGroups } from '../../testing/usage-samples.ts';

const siteWith = (...tokens: TokenData[]) =>
  new FakeServer()
    .answer(tokenApi.list, tokens)
    .answer(selfApi.get, userSample())
    .answer(selfApi.models, ['gpt-4o'])
    .answer(selfApi.groups, { default: { ratio: 1, desc: '' } })
    .answer(pricingApi.list, { data: [pricingSample()], extra: noPriceGroups });

test('tokens are listed with their remaining allowance, below the account that pays', async () => {
  const server = siteWith(tokenSample({ name: 'ci', remain_quota: 500_000, used_quota: 250_000 }));
  renderPage('/token', { server, as: people.user });
  const row = await screen.findByRole('row', { name: /sk-abcd…wxyz/ });
  expect(row.textContent).toContain('ci');
  expect(row.textContent).toContain('$1.00');
  expect(row.textContent).toContain('$0.50');
  await expect.poll(shown).toContain('$10.00');
});

test('a user without tokens sees what they are for, in both languages', async () => {
  renderPage('/token', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('还没有令牌');
  await expect.poll(shown).toContain('创建一个令牌，把它和本站地址填进您的客户端。');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith(tokenSample()).fail(tokenApi.list);
  const user = renderPage('/token', { server, as: people.user });
  await expect.poll(shown).toContain('internal server error');
  server.answer(tokenApi.list, [tokenSample({ name: 'again' })]);
  await tryAgain(user);
  expect(await screen.findByRole('button', { name: 'again' })).toBeDefined();
});

test('a new token is created from the form, and its whole key is shown', async () => {
  const server = siteWith();
  const made = tokenSample({ id: 9, name: 'laptop', key: 'whole0key' });
  server.answer(tokenApi.create, made).answer(tokenApi.get, made);
  const user = renderPage('/token?edit=new', { server, as: people.user });
  const form = await screen.findByRole('dialog', { name: 'Create a key' });
  await user.type(within(form).getByRole('textbox', { name: 'Name' }), 'laptop');
  server.answer(tokenApi.list, [made]);
  await user.click(within(form).getByRole('button', { name: 'Create' }));
  const use = await screen.findByRole('dialog', { name: /created/ });
  await expect.poll(() => use.textContent).toContain('whole0key');
  expect(server.inputs(tokenApi.create)).toMatchObject([{ name: 'laptop', expired_time: -1 }]);
});

test('a new token has the group auto if the site wants that, and may retry in further groups', async () => {
  const server = siteWith();
  const groups = {
    auto: { ratio: 1, desc: 'default → vip', groups: ['default', 'vip'] },
    vip: { ratio: 2, desc: '' },
  };
  server
    .answer(selfApi.groups, groups)
    .answer(statusApi.status, statusSample({ default_use_auto_group: true }));
  server.answer(tokenApi.create, tokenSample({ id: 9 })).answer(tokenApi.get, tokenSample({ id: 9 }));
  const user = renderPage('/token?edit=new', { server, as: people.user });
  const form = within(await screen.findByRole('dialog', { name: 'Create a key' }));
  const group = () => (form.getByRole('combobox', { name: 'Group' }) as HTMLInputElement).value;
  await expect.poll(group).toBe('auto');
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'any');
  await user.click(form.getByRole('switch', { name: /^Retry in the next group/ }));
  await user.click(form.getByRole('button', { name: 'Create' }));
  await expect
    .poll(() => server.inputs(tokenApi.create))
    .toMatchObject([{ group: 'auto', cross_group_retry: true }]);
});

test('a token is disabled with one click, and nothing else of it is written', async () => {
  const server = siteWith(tokenSample({ id: 4 }));
  server.answer(tokenApi.update, tokenSample({ id: 4, status: tokenStatus.disabled }));
  const user = renderPage('/token', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Disable' }));
  await expect
    .poll(() => server.inputs(tokenApi.update))
    .toEqual([{ id: 4, status: tokenStatus.disabled, status_only: true }]);
});

test('a token is deleted after a confirmation, and a toast says so when its row is gone', async () => {
  const server = siteWith(tokenSample({ id: 4, name: 'ci' }));
  server.answer(tokenApi.remove, () => {
    server.answer(tokenApi.list, []);
    return null;
  });
  const user = renderPage('/token', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'More actions for ci' }));
  // Without layout, the library treats menus as hidden behind their anchor.
  await user.click(await screen.findByRole('menuitem', { name: 'Delete', hidden: true }));
  const question = await screen.findByRole('dialog', { name: 'Delete the key “ci”?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('The key is deleted')).toBeDefined();
  await expect.poll(() => screen.queryByRole('row', { name: /ci/ })).toBeNull();
  expect(server.inputs(tokenApi.remove)).toEqual([{ id: 4 }]);
});

test('a guest is redirected to the log-in, and back from there', async () => {
  renderPage('/token', { server: siteWith(), as: null });
  await expect.poll(shown).toContain('Log in to Acme');
  expect(new URLSearchParams(window.location.search).get('next')).toBe('/token');
});

test('the address of a token that is not in sight opens that token, never the form of a new one', async () => {
  const server = siteWith().answer(tokenApi.get, tokenSample({ id: 40, name: 'elsewhere' }));
  renderPage('/token?edit=40', { server, as: people.user });
  const form = await screen.findByRole('dialog', { name: 'Edit the key' });
  expect(within(form).getByRole<HTMLInputElement>('textbox', { name: /Name/ }).value).toBe('elsewhere');
});

test('a budget that is refused leads to its own field that is wrong, not to that of the key', async () => {
  const server = siteWith().answer(tokenApi.get, tokenSample({ id: 40 }));
  const user = renderPage('/token?edit=40', { server, as: people.user });
  const form = await screen.findByRole('dialog', { name: 'Edit the key' });
  await user.click(await within(form).findByRole('button', { name: 'Add budget' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a budget' }));
  await user.click(await dialog.findByRole('button', { name: 'Save' }));
  await expect.poll(() => document.activeElement).toBe(dialog.getByRole('textbox', { name: /^Name/ }));
});

test('the address of a token that is gone says so', async () => {
  const server = siteWith().refuse(tokenApi.get, 'There is no such token');
  renderPage('/token?edit=40', { server, as: people.user });
  const drawer = await screen.findByRole('dialog', { name: 'Edit the key' });
  await expect.poll(() => drawer.textContent).toContain('There is no such token');
});

test('the form says what happens at the end of a budget, and the advice of the page asks for nothing else', async () => {
  const user = renderPage('/token?edit=new', { server: siteWith(), as: people.user });
  const form = await screen.findByRole('dialog', { name: 'Create a key' });
  const unlimited = within(form).getByRole('switch', { name: /Unlimited/ });
  expect((unlimited as HTMLInputElement).checked).toBe(false);
  expect(form.textContent).toContain('Once its budget is spent, calls with this key are refused');
  expect(shown()).not.toMatch(/unlimited/i);
  await user.click(unlimited);
  expect(form.textContent).toContain('Spending is still limited by the account balance');
  expect(form.textContent).not.toContain('Once its budget is spent');
});

import { screen, within } from '@testing-library/react';
import { teamApi, teamRecordApi, teamRole, teamStatus } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { teamSample } from '../../testing/team-samples.ts';
import { teamSite } from '../../testing/team-site.ts';

const open = (server: FakeServer, search = '', language: 'zh' | 'en' = 'en') =>
  renderPage(`/organisations/4${search}`, { server, as: people.user, language });
const tabs = async () => (await screen.findAllByRole('tab')).map(({ textContent }) => textContent);
const dialog = async (name: RegExp) => within(await screen.findByRole('dialog', { name }));
const buttons = () =>
  within(screen.getByRole('main'))
    .queryAllByRole('button')
    .map((button) => button.textContent);

describe('the page of an organisation', () => {
  test('shows an owner wallet, month and own limit', async () => {
    open(teamSite());
    await expect
      .poll(shown)
      .toMatch(
        /Wallet balance\$20\.00Total usage this month\$0\.500000Your usage this month\$0\.500000.*No limit/,
      );
    expect(await tabs()).toEqual([
      'Overview',
      'Members',
      'Invitations',
      'Keys',
      'Usage',
      'Statement',
      'Settings',
    ]);
  });

  test('shows a member their own limit, and nothing for managers', async () => {
    const limit = { limit_period: 'month', limit_quota: 2_500_000, limit_left: 500_000 } as const;
    const server = teamSite({ role: teamRole.member, ...limit });
    open(server);
    await expect.poll(shown).toMatch(/Your remaining limit\$1\.00\$5\.00 per month/);
    expect(await tabs()).toEqual(['Overview', 'Members', 'Keys', 'Usage']);
    expect(buttons()).toEqual(['New key']);
    expect(server.inputs(teamRecordApi.statement)).toEqual([]);
  });

  test('shows that it is banned, and offers nothing that would be refused', async () => {
    open(teamSite({ status: teamStatus.banned }), '', 'zh');
    await expect.poll(shown).toContain('管理员已封禁该组织');
    expect(buttons()).toEqual([]);
  });

  test('shows that it does not exist, also for an invalid address', async () => {
    open(teamSite().refuse(teamApi.get, 'No such organisation', 'team_not_found'));
    await expect.poll(shown).toContain('No such organisation');
    // A second attempt would not find it either.
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  test('can be loaded again when it failed to load', async () => {
    const server = teamSite().fail(teamApi.get);
    const user = open(server);
    await expect.poll(shown).toContain('Could not load');
    server.answer(teamApi.get, teamSample({ name: 'Again' }));
    await tryAgain(user);
    await screen.findByRole('heading', { level: 1, name: 'Again' });
  });
});

describe('the wallet', () => {
  test('is filled from one’s own, up to its balance', async () => {
    const server = teamSite().answer(teamApi.fund, 12_500_000);
    const user = open(server);
    await user.click(await screen.findByRole('button', { name: 'Add from my wallet' }));
    const form = await dialog(/Add to the wallet/);
    const amount = await form.findByRole('textbox', { name: /Amount/ });
    await user.type(amount, '10.5');
    await user.click(form.getByRole('button', { name: 'Add' }));
    await form.findByText('At most $10.00 can be transferred');
    await user.clear(amount);
    await user.type(amount, '5');
    expect(form.getByText('$25.00')).toBeDefined();
    await user.click(form.getByRole('button', { name: 'Add' }));
    await expect.poll(() => server.inputs(teamApi.fund)).toEqual([{ id: 4, quota: 2_500_000 }]);
  });

  test('is returned to the owner after a confirmation', async () => {
    const server = teamSite().answer(teamApi.withdraw, 0);
    const user = open(server);
    await user.click(await screen.findByRole('button', { name: 'Withdraw to my wallet' }));
    const form = await dialog(/Withdraw from/);
    await user.type(await form.findByRole('textbox', { name: /Amount/ }), '20');
    await user.click(form.getByRole('button', { name: 'Withdraw' }));
    const question = await dialog(/Move \$20\.00 from “Research”/);
    expect(server.inputs(teamApi.withdraw)).toEqual([]);
    await user.click(question.getByRole('button', { name: 'Withdraw' }));
    await expect.poll(() => server.inputs(teamApi.withdraw)).toEqual([{ id: 4, quota: 10_000_000 }]);
  });

  test('accepts codes, and a refusal is shown beside the code', async () => {
    const server = teamSite({ role: teamRole.manager }).refuse(teamApi.redeem, 'This code was used');
    const user = open(server);
    await user.click(await screen.findByRole('button', { name: 'Redeem a code' }));
    expect(screen.queryByRole('button', { name: 'Withdraw to my wallet' })).toBeNull();
    const form = await dialog(/Redeem a code/);
    await user.type(form.getByRole('textbox', { name: 'Code' }), 'abc{Enter}');
    await form.findByText('This code was used');
  });
});

describe('settings', () => {
  test('change its name', async () => {
    const server = teamSite({ role: teamRole.manager }).answer(teamApi.rename, teamSample());
    const user = open(server, '?tab=settings');
    const name = await screen.findByRole('textbox', { name: 'Organisation name' });
    await user.type(name, ' 2');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await expect.poll(() => server.inputs(teamApi.rename)).toEqual([{ id: 4, name: 'Research 2' }]);
    expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  });

  test('delete it for its owner, who types its name', async () => {
    const server = teamSite().answer(teamApi.remove, 10_000_000);
    const user = open(server, '?tab=settings');
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = await dialog(/Delete “Research”/);
    await user.type(question.getByRole('textbox'), 'Research');
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('“Research” was deleted; $20.00 returned to your own wallet');
    expect(server.inputs(teamApi.remove)).toEqual([{ id: 4 }]);
  });
});

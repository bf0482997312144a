import { screen, within } from '@testing-library/react';
import { budgetApi, teamApi, teamInvitationApi, teamRole } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown } from '../../../testing/render-page.tsx';
import { people } from '../../../testing/samples.ts';
import { memberSample, teamInvitationSample } from '../../../testing/team-samples.ts';
import { teamSite } from '../../../testing/team-site.ts';
import { runSample } from '../../../testing/usage-samples.ts';

const open = (server: FakeServer, search = '', language: 'zh' | 'en' = 'en') =>
  renderPage(`/organisations/4${search}`, { server, as: people.user, language });
const row = (name: RegExp) => screen.findByRole('row', { name });
// Without layout, the library treats menus as hidden behind their anchor.
const item = (name: string) => screen.findByRole('menuitem', { name, hidden: true });
const dialog = async (name: RegExp) => within(await screen.findByRole('dialog', { name }));
const buttons = () =>
  within(screen.getByRole('main'))
    .queryAllByRole('button')
    .map((button) => button.textContent);

describe('members', () => {
  test('are listed with limits and use, and those below one’s rank can be changed', async () => {
    const boss = memberSample({ user_id: 9, username: 'eve', role: teamRole.manager });
    const server = teamSite({ role: teamRole.manager, owner_id: 3 });
    server.answer(teamApi.members, [
      boss,
      memberSample({ limit_period: 'total', limit_quota: 500_000, limit_left: 0 }),
    ]);
    open(server, '?tab=members');
    expect((await row(/bob/)).textContent).toMatch(/Member\$1\.00 total\$0\.00/);
    expect(within(await row(/eve/)).queryAllByRole('button')).toEqual([]);
  });

  test('see each other without figures, and may leave', async () => {
    const server = teamSite({ role: teamRole.member }).answer(teamApi.leave, null);
    const user = open(server, '?tab=members');
    expect((await row(/bob/)).textContent).not.toContain('$');
    expect(buttons()).not.toContain('Change');
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await user.click((await dialog(/Leave “Research”/)).getByRole('button', { name: 'Leave' }));
    await expect.poll(() => window.location.pathname).toBe('/organisations');
    expect(server.inputs(teamApi.leave)).toEqual([{ id: 4 }]);
  });

  test('get a limit in the drawer, and only that is sent', async () => {
    const server = teamSite().answer(teamApi.changeMember, memberSample());
    server.answer(budgetApi.runs, [runSample({ run: 'nightly', key_hint: 'runA…xyz1', used: 500_000 })]);
    const user = open(server, '?tab=members');
    await user.click(await screen.findByRole('button', { name: 'Change bob' }));
    const form = await dialog(/Change bob/);
    const runs = await form.findByRole('list', { name: 'Runs that the organisation pays' });
    expect(runs.textContent).toMatch(/nightlysk-runA…xyz1.*\$1\.00 used/);
    expect(server.inputs(budgetApi.runs)).toEqual([{ username: 'bob' }]);
    const link = within(runs).getByRole('link', { name: 'nightly' });
    expect(link.getAttribute('href')).toMatch(/^\/log\?.*username=bob/);
    await user.click(form.getByRole('radio', { name: 'Monthly' }));
    const amount = form.getByRole('textbox', { name: /Amount/ });
    await user.clear(amount);
    await user.type(amount, '3');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await expect
      .poll(() => server.inputs(teamApi.changeMember))
      .toEqual([{ id: 4, user_id: 8, limit: { period: 'month', quota: 1_500_000 } }]);
  });

  test('get a budget for any week in a row, which says when it has room again', async () => {
    const server = teamSite();
    const sliding = runSample({
      period: 'week',
      name: 'slides',
      run: '',
      sliding: true,
      max_calls: 0,
      amount: 1_000_000,
      used: 500_000,
    });
    server.answer(budgetApi.list, [sliding]).answer(budgetApi.create, sliding);
    const user = open(server, '?tab=members');
    await user.click(await screen.findByRole('button', { name: 'Change bob' }));
    const list = await (await dialog(/Change bob/)).findByRole('list', { name: 'Budgets' });
    expect(list.textContent).toMatch(/\$2\.00 in any 7 days.*\$1\.00 used\$1\.00 leftroom again from 2096/);
    await user.click((await dialog(/Change bob/)).getByRole('button', { name: 'Add budget' }));
    const form = await dialog(/Add a budget/);
    await user.type(await form.findByRole('textbox', { name: 'Name' }), 'slides');
    await user.type(form.getByRole('textbox', { name: /Amount/ }), '2');
    await user.click(form.getByRole('combobox', { name: 'Counted by' }));
    await user.click(await screen.findByRole('option', { name: /sliding/, hidden: true }));
    expect(form.queryByRole('combobox', { name: 'Time zone' })).toBeNull();
    await user.click(form.getByRole('button', { name: 'Save' }));
    await expect
      .poll(() => server.inputs(budgetApi.create))
      .toMatchObject([{ name: 'slides', amount: 1_000_000, period: 'week', sliding: true, until: 0 }]);
    // The closed dialog returns the focus, so that the keyboard goes on from there.
    await expect.poll(() => document.activeElement?.textContent).toBe('Add budget');
  });

  test('get a budget of tokens a minute, whose bar has tokens, and which warns of nothing unless declared', async () => {
    const server = teamSite();
    const rate = runSample({
      period: 'minute',
      unit: 'tokens',
      name: 'rate',
      run: '',
      max_calls: 0,
      amount: 60_000,
      used: 1_500,
      held: 1,
    });
    server.answer(budgetApi.list, [rate]).answer(budgetApi.create, rate);
    const user = open(server, '?tab=members');
    await user.click(await screen.findByRole('button', { name: 'Change bob' }));
    const list = await (await dialog(/Change bob/)).findByRole('list', { name: 'Budgets' });
    expect(list.textContent).toMatch(
      /60,000 tokens per minute.*1,500 tokens used1 token held58,499 tokens left/,
    );
    await user.click((await dialog(/Change bob/)).getByRole('button', { name: 'Add budget' }));
    const form = await dialog(/Add a budget/);
    await user.type(await form.findByRole('textbox', { name: 'Name' }), 'rate');
    await user.type(form.getByRole('textbox', { name: /Amount/ }), '2');
    await user.click(form.getByRole('combobox', { name: 'Counts' }));
    await user.click(await screen.findByRole('option', { name: 'Tokens in and out', hidden: true }));
    await user.type(form.getByRole('textbox', { name: /Tokens per period/ }), '60000');
    await user.click(form.getByRole('combobox', { name: 'Period' }));
    await user.click(await screen.findByRole('option', { name: 'per minute', hidden: true }));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await expect
      .poll(() => server.inputs(budgetApi.create))
      .toMatchObject([{ name: 'rate', unit: 'tokens', amount: 60_000, period: 'minute', shares: [] }]);
  });

  test('are removed, or made owner, after a confirmation', async () => {
    const server = teamSite().answer(teamApi.removeMember, null).answer(teamApi.handOver, null);
    const user = open(server, '?tab=members');
    await user.click(await screen.findByRole('button', { name: 'More actions for bob' }));
    await user.click(await item('Remove'));
    await user.click((await dialog(/Remove bob/)).getByRole('button', { name: 'Remove' }));
    await screen.findByText('bob was removed');
    await user.click(await screen.findByRole('button', { name: 'More actions for bob' }));
    await user.click(await item('Transfer ownership'));
    const question = await dialog(/Transfer “Research” to bob/);
    await user.type(question.getByRole('textbox'), 'Research');
    await user.click(question.getByRole('button', { name: 'Transfer ownership' }));
    await expect.poll(() => server.inputs(teamApi.handOver)).toEqual([{ id: 4, user_id: 8 }]);
    expect(server.inputs(teamApi.removeMember)).toEqual([{ id: 4, user_id: 8 }]);
  });
});

describe('invitations', () => {
  test('are sent by mail or name, and their link is shown once', async () => {
    const server = teamSite({ role: teamRole.manager });
    server.answer(teamInvitationApi.create, { ...teamInvitationSample(), code: 'c0de' });
    const user = open(server, '?tab=invitations&edit=new');
    const form = await dialog(/Invite a member/);
    expect(form.queryByRole('radio', { name: 'Manager' })).toBeNull();
    await user.click(form.getByRole('button', { name: 'Invite' }));
    await form.findByText('Please enter a username or an address');
    await user.type(form.getByRole('textbox', { name: /Username/ }), 'bob@example.com');
    await user.click(form.getByRole('button', { name: 'Invite' }));
    const made = await screen.findByRole('dialog', { name: 'Invitation created' });
    expect(made.textContent).toContain('https://gate.example/organisations/join#c0de');
    expect(server.inputs(teamInvitationApi.create)).toEqual([
      { id: 4, invitee: 'bob@example.com', role: teamRole.member, days: 7 },
    ]);
  });

  test('by a link are for any user who has it, and owners may invite managers', async () => {
    const server = teamSite();
    server.answer(teamInvitationApi.create, { ...teamInvitationSample({ invitee: '' }), code: 'c0de' });
    const user = open(server, '?tab=invitations&edit=new');
    const form = await dialog(/Invite a member/);
    await user.click(form.getByRole('radio', { name: 'By link' }));
    await user.click(form.getByRole('radio', { name: 'Manager' }));
    await user.click(form.getByRole('button', { name: 'Invite' }));
    await expect
      .poll(() => server.inputs(teamInvitationApi.create))
      .toEqual([{ id: 4, invitee: '', role: teamRole.manager, days: 7 }]);
  });

  test('are withdrawn in one click', async () => {
    const server = teamSite().answer(teamInvitationApi.withdraw, null);
    const user = open(server, '?tab=invitations');
    await user.click(await screen.findByRole('button', { name: /Withdraw the invitation for bob/ }));
    await screen.findByText('Invitation withdrawn');
    expect(server.inputs(teamInvitationApi.withdraw)).toEqual([{ id: 4, invitation: 5 }]);
  });

  test('an empty list explains how to invite', async () => {
    open(teamSite().answer(teamInvitationApi.list, []), '?tab=invitations', 'zh');
    await expect.poll(shown).toContain('没有未处理的邀请');
  });
});

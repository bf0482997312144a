import { screen, within } from '@testing-library/react';
import {
  teamApi,
  teamInvitationApi,
  teamRecordApi,
  teamRole,
  teamStatus,
  type TeamData,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { ownInvitationSample, statementSample, teamSample } from '../../testing/team-samples.ts';

const site = (...teams: TeamData[]) =>
  new FakeServer()
    .answer(teamApi.list, teams)
    .answer(teamInvitationApi.ownList, [])
    .answer(teamApi.get, teamSample())
    .answer(teamRecordApi.statement, statementSample());

test('one’s organisations are listed with role, wallet, own use, limit and members', async () => {
  const limited = teamSample({
    role: teamRole.member,
    limit_period: 'month',
    limit_quota: 2_500_000,
    limit_left: 1_000_000,
  });
  renderPage('/organisations', { server: site(limited), as: people.user });
  const row = await screen.findByRole('row', { name: /Research/ });
  expect(row.textContent).toMatch(/Active.*Member.*\$20\.00.*\$0\.500000.*\$2\.00.*3/);
  const link = within(row).getByRole('link', { name: 'Research' });
  expect(link.getAttribute('href')).toBe('/organisations/4');
});

test('a banned one is marked', async () => {
  const server = site(teamSample({ status: teamStatus.banned }));
  renderPage('/organisations', { server, as: people.user, language: 'zh' });
  expect((await screen.findByRole('row', { name: /Research/ })).textContent).toContain('已封禁');
});

test('a user without one sees what they are for', async () => {
  renderPage('/organisations', { server: site(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('您还没有加入任何组织');
  await expect.poll(shown).toContain('可以共用一个钱包');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = site().fail(teamApi.list);
  const user = renderPage('/organisations', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(teamApi.list, [teamSample({ name: 'Again' })]);
  await tryAgain(user);
  expect(await screen.findByRole('link', { name: 'Again' })).toBeDefined();
});

test('a new one needs a name, and opens', async () => {
  const server = site().answer(teamApi.create, teamSample());
  const user = renderPage('/organisations?edit=new', { server, as: people.user });
  const form = within(await screen.findByRole('dialog', { name: 'Create an organisation' }));
  await user.click(form.getByRole('button', { name: 'Create' }));
  await form.findByText('Please enter a name');
  await user.type(form.getByRole('textbox', { name: 'Name' }), ' Research ');
  await user.click(form.getByRole('button', { name: 'Create' }));
  await expect.poll(() => window.location.pathname).toBe('/organisations/4');
  expect(server.inputs(teamApi.create)).toEqual([{ name: 'Research' }]);
});

test('an invitation by name is accepted in one click, and opens the organisation', async () => {
  const server = site()
    .answer(teamInvitationApi.ownList, [ownInvitationSample({ role: teamRole.manager })])
    .answer(teamInvitationApi.accept, 4);
  const user = renderPage('/organisations', { server, as: people.user });
  await expect.poll(shown).toContain('eve invites you to “Research” as Manager');
  await user.click(screen.getByRole('button', { name: 'Accept the invitation to “Research”' }));
  await expect.poll(() => window.location.pathname).toBe('/organisations/4');
  expect(server.inputs(teamInvitationApi.accept)).toMatchObject([{ invitation: 5 }]);
});

test('an invitation is declined, and removed', async () => {
  const server = site().answer(teamInvitationApi.ownList, [ownInvitationSample()]);
  server.answer(teamInvitationApi.decline, () => {
    server.answer(teamInvitationApi.ownList, []);
    return null;
  });
  const user = renderPage('/organisations', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Decline the invitation to “Research”' }));
  await screen.findByText('Invitation declined');
  await expect.poll(shown).not.toContain('eve invites you');
});

test('a guest is redirected to the log-in', async () => {
  renderPage('/organisations', { server: site(), as: null });
  await expect.poll(shown).toContain('Log in to Acme');
});

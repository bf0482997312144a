import { screen } from '@testing-library/react';
import { authApi, teamApi, teamInvitationApi, teamRecordApi, teamRole } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { ownInvitationSample, statementSample, teamSample } from '../../testing/team-samples.ts';

const site = () =>
  new FakeServer()
    .answer(teamInvitationApi.look, ownInvitationSample())
    .answer(teamInvitationApi.accept, 4)
    .answer(teamInvitationApi.ownList, [])
    .answer(teamApi.list, [])
    .answer(teamApi.get, teamSample({ role: teamRole.member }))
    .answer(teamRecordApi.statement, statementSample());

test('the link shows inviter and organisation, and accepting opens it', async () => {
  const server = site();
  const user = renderPage('/organisations/join#c0de', { server, as: people.user });
  await expect.poll(shown).toContain('eve invites you to “Research”');
  expect(shown()).toContain('You join as a member');
  await user.click(screen.getByRole('button', { name: 'Accept' }));
  await expect.poll(() => window.location.pathname).toBe('/organisations/4');
  expect(server.inputs(teamInvitationApi.look)).toEqual([{ code: 'c0de' }]);
  expect(server.inputs(teamInvitationApi.accept)).toMatchObject([{ code: 'c0de' }]);
  expect(window.location.hash).toBe('');
});

test('a manager sees what the role means, in Chinese as well', async () => {
  const server = site().answer(teamInvitationApi.look, ownInvitationSample({ role: teamRole.manager }));
  renderPage('/organisations/join#c0de', { server, as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('您将作为管理员加入');
});

test('declining ends the invitation and opens the list', async () => {
  const server = site().answer(teamInvitationApi.decline, null);
  const user = renderPage('/organisations/join#c0de', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Decline' }));
  await expect.poll(() => window.location.pathname).toBe('/organisations');
  expect(server.inputs(teamInvitationApi.decline)).toMatchObject([{ code: 'c0de' }]);
});

test('a member sees that they are one already, and stays', async () => {
  const server = site().refuse(teamInvitationApi.accept, 'You are a member already', 'already_team_member');
  const user = renderPage('/organisations/join#c0de', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Accept' }));
  expect((await screen.findByRole('alert')).textContent).toContain('You are a member already');
});

test('a used or unknown link shows that', async () => {
  const server = site().refuse(teamInvitationApi.look, 'was used or has expired', 'invitation_not_found');
  renderPage('/organisations/join#old', { server, as: people.user });
  await expect.poll(shown).toMatch(/This invitation cannot be used.*was used or has expired/);
});

test('a link without its code shows that, and nothing is requested', async () => {
  const server = site();
  renderPage('/organisations/join', { server, as: people.user });
  await expect.poll(shown).toContain('This link is incomplete');
  expect(server.inputs(teamInvitationApi.look)).toEqual([]);
});

test('an invitation that fails to load can be loaded again', async () => {
  const server = site().fail(teamInvitationApi.look);
  const user = renderPage('/organisations/join#c0de', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(teamInvitationApi.look, ownInvitationSample());
  await tryAgain(user);
  await expect.poll(shown).toContain('eve invites you');
});

test('a guest logs in first and returns with the code', async () => {
  const server = site().answer(authApi.login, people.user);
  const user = renderPage('/organisations/join#c0de', { server, as: null });
  await user.type(await screen.findByLabelText('Username or e-mail'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'a good password');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  await expect.poll(shown).toContain('eve invites you to “Research”');
  expect(server.inputs(teamInvitationApi.look)).toEqual([{ code: 'c0de' }]);
});

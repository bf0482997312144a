import { screen, within } from '@testing-library/react';
import {
  groupApi,
  role,
  secondFactorApi,
  userApi,
  userHistoryApi,
  userStatus,
  type ManagedUserData,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { auditSample } from '../../testing/audit-sample.ts';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, sampleTime, tokenSample, userSample } from '../../testing/samples.ts';

const userRow = (given: Partial<ManagedUserData> = {}): ManagedUserData => ({
  ...userSample({ id: 7, username: 'ada', ...given }),
  remark: '',
  ...given,
});
const site = (...users: ManagedUserData[]) =>
  new FakeServer()
    .answer(userApi.list, pageWith(...users))
    .answer(userApi.search, pageWith(...users))
    .answer(groupApi.list, ['default', 'vip']);
const row = (name: RegExp) => screen.findByRole('row', { name });

test('each user is listed with role, state, balance, invitations and remark', async () => {
  const details = { aff_count: 3, aff_history_quota: 1_500_000, inviter_id: 2, remark: 'pays late' };
  renderPage('/user', { server: site(userRow(details)), as: people.admin });
  expect((await row(/ada/)).textContent).toMatch(
    /Active.*User.*\$10\.00.*3 invited · \$3\.00.*by #2.*pays late/,
  );
});

test('a deleted user is shown without any button', async () => {
  const gone = userRow({ id: 8, username: 'eve', DeletedAt: 5, status: userStatus.enabled });
  renderPage('/user', { server: site(gone), as: people.root, language: 'zh' });
  const eve = await row(/eve/);
  expect(eve.textContent).toContain('已注销');
  expect(within(eve).queryAllByRole('button')).toEqual([]);
});

test('an administrator has no buttons for administrators', async () => {
  const boss = userRow({ id: 3, username: 'boss', role: role.admin });
  renderPage('/user', { server: site(boss), as: people.admin });
  expect(within(await row(/boss/)).queryAllByRole('button')).toEqual([]);
});

test('the group of the address is loaded, and an empty result shows a message', async () => {
  const server = site();
  renderPage('/user?group=vip&sort=-quota', { server, as: people.admin });
  await expect.poll(shown).toContain('No user matches');
  expect(server.inputs(userApi.search).at(-1)).toMatchObject({
    group: 'vip',
    sort: { by: 'quota', descending: true },
  });
});

test('users that fail to load show an error and can be loaded again', async () => {
  const server = site().fail(userApi.list);
  const user = renderPage('/user', { server, as: people.admin });
  await expect.poll(shown).toContain('Could not load');
  server.answer(userApi.list, pageWith(userRow()));
  await tryAgain(user);
  await row(/ada/);
});

test("a refusal shows the server's message", async () => {
  const server = site(userRow()).refuse(userApi.manage, 'Cannot disable super administrator user');
  const user = renderPage('/user', { server, as: people.root });
  await user.click(within(await row(/ada/)).getByRole('button', { name: 'Disable' }));
  await screen.findByText('Cannot disable super administrator user');
  expect(server.inputs(userApi.manage)).toMatchObject([{ id: 7, action: 'disable' }]);
});

test('an ordinary user is shown that the page needs another role, and nothing is requested', async () => {
  const server = site(userRow());
  renderPage('/user', { server, as: people.user });
  await expect.poll(shown).toContain('This page is for administrators.');
  expect(server.inputs(userApi.list)).toEqual([]);
});

test('what a user paid and what organisations paid for them are never one sum', async () => {
  const server = site(userRow({ used_quota: 750_000, team_used_quota: 500_000 }));
  renderPage('/user', { server, as: people.admin });
  await expect.poll(shown).toMatch(/\$1\.50 \+ \$1\.00/);
  expect(shown()).not.toContain('$2.50');
});

const historyOf = (server: FakeServer) =>
  server
    .answer(userHistoryApi.audit, { items: [auditSample({ kind: 'user.disable', changes: {} })], next: null })
    .answer(userHistoryApi.sessions, [
      { id: 's1', created_time: sampleTime, seen_time: sampleTime, ip: '192.0.2.9', user_agent: '' },
    ])
    .answer(userHistoryApi.tokens, [tokenSample({ name: 'ci', used_quota: 250_000 })])
    .answer(userHistoryApi.movements, {
      items: [
        {
          id: 4,
          at: sampleTime,
          kind: 'adjust',
          amount: -500_000,
          reward: 0,
          reason: 'chargeback 17',
          actor_id: 2,
          actor_name: 'grace',
        },
      ],
      next: null,
    });

test('the history of an account is beside its form: money with reasons, sessions, keys, actions', async () => {
  const server = historyOf(site(userRow()).answer(userApi.get, userRow()));
  const user = renderPage('/user?edit=7', { server, as: people.admin });
  const drawer = within(await screen.findByRole('dialog', { name: /ada/ }));
  await user.type(drawer.getByRole('textbox', { name: 'Display name' }), '!');
  await user.click(drawer.getByRole('tab', { name: 'Account history' }));
  const money = await drawer.findByRole('list', { name: /Balance changes/ });
  expect(money.textContent).toMatch(/Manual adjustment.*-\$1\.00.*chargeback 17.*by grace/);
  expect((await drawer.findByRole('list', { name: 'Sessions' })).textContent).toContain('192.0.2.9');
  expect((await drawer.findByRole('list', { name: 'Keys' })).textContent).toMatch(/ci.*abcd…wxyz.*\$0\.50/);
  expect((await drawer.findByRole('list', { name: 'Audit' })).textContent).toMatch(/User banned.*by grace/);
  await user.click(drawer.getByRole('tab', { name: 'Account' }));
  expect(drawer.getByRole<HTMLInputElement>('textbox', { name: 'Display name' }).value).toBe('ada!');
});

test('the two-step sign-in of a user of lower rank is reset after a confirmation, and no one else’s', async () => {
  const server = site(
    userRow({ two_factor: true }),
    userRow({ id: 3, username: 'boss', role: role.root, two_factor: true }),
  )
    .answer(userApi.get, userRow({ two_factor: true }))
    .answer(secondFactorApi.reset, null)
    .answer(secondFactorApi.resetPasskeys, null);
  const user = renderPage('/user?edit=7', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Reset' }));
  const question = within(await screen.findByRole('dialog', { name: /Reset the two-step/ }));
  await user.click(question.getByRole('button', { name: 'Reset' }));
  await screen.findByText('Two-step sign-in is reset');
  expect(server.inputs(secondFactorApi.reset)).toEqual([{ id: 7 }]);
  expect(server.inputs(secondFactorApi.resetPasskeys)).toEqual([{ id: 7 }]);
});

const openHistory = async (as: (typeof people)['admin'], given: Partial<ManagedUserData>) => {
  const server = historyOf(site(userRow(given)).answer(userApi.get, userRow(given))).answer(
    userApi.endSessions,
    null,
  );
  const user = renderPage('/user?edit=7', { server, as });
  await user.click(await screen.findByRole('tab', { name: 'Account history' }));
  await screen.findByRole('list', { name: 'Sessions' });
  return { server, user };
};

test('all sessions of a user of lower rank end after a confirmation that lists what stays, and the list is loaded again', async () => {
  const { server, user } = await openHistory(people.admin, {});
  await user.click(screen.getByRole('button', { name: 'End all sessions' }));
  const question = within(await screen.findByRole('dialog', { name: 'End all sessions of “ada”?' }));
  question.getByText(/access tokens and keys stay valid/);
  expect(server.inputs(userApi.endSessions)).toEqual([]);
  server.answer(userHistoryApi.sessions, []);
  await user.click(question.getByRole('button', { name: 'End all sessions' }));
  await screen.findByText('All sessions are ended');
  expect(server.inputs(userApi.endSessions)).toEqual([{ id: 7 }]);
  await screen.findByText('Not signed in anywhere');
  expect(screen.queryByRole('button', { name: 'End all sessions' })).toBeNull();
});

test('the sessions of a user of the same rank cannot be ended', async () => {
  await openHistory(people.root, { role: role.root });
  expect(screen.queryByRole('button', { name: 'End all sessions' })).toBeNull();
});

test('a new user is credited in the form that makes them; a refusal says that the account is there', async () => {
  const funded = userRow({ id: 9, username: 'fay' });
  const server = site(userRow()).answer(userApi.create, null).answer(userApi.search, pageWith(funded));
  server.answer(userApi.manage, { role: role.common, status: 1 });
  const user = renderPage('/user?edit=new', { server, as: people.root });
  const fill = async () => {
    const drawer = within(await screen.findByRole('dialog', { name: 'Add a user' }));
    await user.type(drawer.getByRole('textbox', { name: 'Username' }), 'fay');
    await user.type(drawer.getByLabelText(/^Password/), 'a good password');
    await user.type(drawer.getByLabelText(/^Balance to begin with/), '25');
    await user.click(drawer.getByRole('button', { name: 'Create' }));
  };
  await fill();
  await screen.findByText('The user is created and credited $25.00');
  expect(server.inputs(userApi.manage)).toEqual([
    {
      id: 9,
      action: 'add_quota',
      mode: 'add',
      value: 12_500_000,
      reason: 'Offline payment',
      expires_time: 0,
    },
  ]);
  server.refuse(userApi.manage, 'no such right');
  await user.click(screen.getByRole('button', { name: 'Add user' }));
  await fill();
  await screen.findByText(/The user is created, but the balance was not credited: no such right/);
});

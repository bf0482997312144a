import { screen, within } from '@testing-library/react';
import { groupApi, role, teamAdminApi, teamStatus, type ManagedTeamData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people } from '../../testing/samples.ts';
import { managedTeamSample } from '../../testing/team-samples.ts';

const site = (...teams: ManagedTeamData[]) =>
  new FakeServer().answer(teamAdminApi.list, pageWith(...teams)).answer(groupApi.list, ['default', 'vip']);
const open = (server: FakeServer, path = '/all-organisations') =>
  renderPage(path, { server, as: people.admin });
const row = () => screen.findByRole('row', { name: /Research/ });

test('each is listed with owner, group, wallet and use', async () => {
  open(site(managedTeamSample()));
  expect((await row()).textContent).toMatch(/Active.*ada.*default.*\$20\.00.*\$0\.50/);
});

test('one whose owner may not be changed has no buttons', async () => {
  open(site(managedTeamSample({ owner_role: role.admin })));
  expect(within(await row()).queryAllByRole('button')).toEqual([]);
});

test('root may change those of administrators', async () => {
  const server = site(managedTeamSample({ owner_role: role.admin }));
  renderPage('/all-organisations', { server, as: people.root });
  expect(within(await row()).queryAllByRole('button')).toHaveLength(4);
});

test('a name is searched for, and an empty result shows a message in Chinese', async () => {
  const server = site();
  renderPage('/all-organisations?keyword=lab', { server, as: people.admin, language: 'zh' });
  await expect.poll(shown).toContain('没有符合条件的组织');
  expect(server.inputs(teamAdminApi.list).at(-1)).toMatchObject({ keyword: 'lab' });
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = site().fail(teamAdminApi.list);
  const user = open(server);
  await expect.poll(shown).toContain('Could not load');
  server.answer(teamAdminApi.list, pageWith(managedTeamSample()));
  await tryAgain(user);
  await row();
});

test('money is moved by hand with a reason, never below zero', async () => {
  const server = site(managedTeamSample()).answer(teamAdminApi.adjust, managedTeamSample());
  const user = open(server);
  await user.click(within(await row()).getByRole('button', { name: /Adjust the wallet/ }));
  const dialog = within(await screen.findByRole('dialog', { name: /Adjust the wallet/ }));
  const amount = dialog.getByRole('textbox', { name: /Change/ });
  await user.type(amount, '-21');
  await user.click(dialog.getByRole('button', { name: 'Adjust' }));
  await dialog.findByText('At most $20.00 can be subtracted');
  await dialog.findByText('Please enter a reason');
  await user.clear(amount);
  await user.type(amount, '-5');
  await user.type(dialog.getByRole('textbox', { name: /Reason/ }), 'chargeback');
  await user.click(dialog.getByRole('button', { name: 'Adjust' }));
  await expect
    .poll(() => server.inputs(teamAdminApi.adjust))
    .toEqual([{ id: 4, quota: -2_500_000, reason: 'chargeback', expires_time: 0 }]);
});

test('a rule for the channels of its keys is saved in one spelling', async () => {
  const server = site(managedTeamSample()).answer(teamAdminApi.update, managedTeamSample());
  const user = open(server);
  await user.click(within(await row()).getByRole('button', { name: 'Edit “Research”' }));
  const drawer = within(await screen.findByRole('dialog'));
  const regions = drawer.getByRole('textbox', { name: /Regions/ });
  await user.type(regions, 'a b');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await drawer.findByText(/letters, digits and hyphens only/);
  await user.clear(regions);
  await user.type(regions, 'EU, us');
  await user.click(drawer.getByRole('switch', { name: /without retention/ }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => server.inputs(teamAdminApi.update))
    .toEqual([{ id: 4, regions: 'eu,us', no_retention: true }]);
});

test('banning asks first, lifting does not', async () => {
  const server = site(managedTeamSample()).answer(teamAdminApi.update, () => {
    server.answer(teamAdminApi.list, pageWith(managedTeamSample({ status: teamStatus.banned })));
    return managedTeamSample({ status: teamStatus.banned });
  });
  const user = open(server);
  await user.click(within(await row()).getByRole('button', { name: 'Ban “Research”' }));
  const question = within(await screen.findByRole('dialog', { name: /Ban the organisation/ }));
  await user.click(question.getByRole('button', { name: 'Ban' }));
  await user.click(await screen.findByRole('button', { name: 'Lift the ban on “Research”' }));
  await expect
    .poll(() => server.inputs(teamAdminApi.update))
    .toEqual([
      { id: 4, status: teamStatus.banned },
      { id: 4, status: teamStatus.enabled },
    ]);
});

test('only changed fields are sent', async () => {
  const server = site(managedTeamSample()).answer(teamAdminApi.update, managedTeamSample());
  const user = open(server, '/all-organisations?edit=4');
  const form = within(await screen.findByRole('dialog', { name: 'Edit “Research”' }));
  await user.type(form.getByRole('textbox', { name: /new owner/ }), '9');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await expect.poll(() => server.inputs(teamAdminApi.update)).toEqual([{ id: 4, owner_id: 9 }]);
});

test('an ordinary user is shown that the page needs another role', async () => {
  const server = site();
  renderPage('/all-organisations', { server, as: people.user });
  await expect.poll(shown).toContain('This page is for administrators.');
  expect(server.inputs(teamAdminApi.list)).toEqual([]);
});

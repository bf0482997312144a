import { screen, within } from '@testing-library/react';
import { type MemberImportResult, teamImportApi, teamRole } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { people } from '../../../testing/samples.ts';
import { teamSite } from '../../../testing/team-site.ts';

const result = (parts: Partial<MemberImportResult>): MemberImportResult => ({
  outcome: 'changed',
  username: 'bob',
  error: '',
  password: '',
  code: '',
  ...parts,
});
const file = (body: string) => new File([body], 'members.csv', { type: 'text/csv' });
const chooser = () => document.querySelector<HTMLInputElement>('input[type=file]')!;

test('an owner sees what a file would do, and imports the rows without errors', async () => {
  const server = teamSite();
  server.answer(teamImportApi.own, [
    result({}),
    result({ outcome: 'invited', username: 'eve', code: 'c0de' }),
    result({ outcome: 'error', username: 'mallory', error: 'is in an earlier row already' }),
  ]);
  const user = renderPage('/organisations/4?tab=members', { server, as: people.user, language: 'en' });
  await user.click(await screen.findByRole('button', { name: 'Import members' }));
  const dialog = within(await screen.findByRole('dialog', { name: /Import members into/ }));
  await user.upload(chooser(), file('username,weekly\nbob,5\neve,\nmallory,\nzed,much\n'));
  await dialog.findByText(/2 rows change, 2 have errors/);
  const rows = () => dialog.getAllByRole('row').map((row) => row.textContent);
  expect(rows().slice(1)).toEqual([
    '2bobChanged ',
    '3eveInvited ',
    '4malloryError is in an earlier row already',
    '5zedError weekly must be dollars of zero or more',
  ]);
  server.answer(teamImportApi.own, [
    result({}),
    result({ outcome: 'invited', username: 'eve', code: 'c0de' }),
  ]);
  await user.click(dialog.getByRole('button', { name: 'Import 2 rows' }));
  await dialog.findByText(/2 rows imported, 2 had errors/);
  await dialog.findByText(/invitation links are shown only now/);
  const inputs = server.inputs(teamImportApi.own) as { dry_run: boolean; rows: { username: string }[] }[];
  expect(
    inputs.map(({ dry_run: isDry, rows: sent }) => [isDry, sent.map(({ username }) => username)]),
  ).toEqual([
    [true, ['bob', 'eve', 'mallory']],
    [false, ['bob', 'eve']],
  ]);
});

test('a file that is no list of members is refused with the reason', async () => {
  const user = renderPage('/organisations/4?tab=members', {
    server: teamSite(),
    as: people.user,
    language: 'zh',
  });
  await user.click(await screen.findByRole('button', { name: '导入成员' }));
  await screen.findByRole('dialog');
  await user.upload(chooser(), file('paid\n1\n'));
  expect((await screen.findByRole('alert')).textContent).toBe('未知的列“paid”');
});

test('is for owners only', async () => {
  renderPage('/organisations/4?tab=members', {
    server: teamSite({ role: teamRole.manager }),
    as: people.user,
    language: 'en',
  });
  await screen.findByRole('button', { name: 'Invite' });
  expect(screen.queryByRole('button', { name: 'Import members' })).toBeNull();
});

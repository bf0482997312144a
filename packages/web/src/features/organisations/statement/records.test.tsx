import { screen } from '@testing-library/react';
import { teamRecordApi, teamRole } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown } from '../../../testing/render-page.tsx';
import { pageWith, people } from '../../../testing/samples.ts';
import { statementSample } from '../../../testing/team-samples.ts';
import { teamSite } from '../../../testing/team-site.ts';

const open = (server: FakeServer, search = '', language: 'zh' | 'en' = 'en') =>
  renderPage(`/organisations/4${search}`, { server, as: people.user, language });
const row = (name: RegExp) => screen.findByRole('row', { name });

describe('usage', () => {
  test('lists the calls of all members with their sum, and filters by member', async () => {
    const server = teamSite();
    const user = open(server, '?tab=usage');
    expect((await row(/gpt-4o/)).textContent).toMatch(/bob.*gpt-4o.*\$0\.02.*100.*50.*ci/);
    await user.type(screen.getByRole('textbox', { name: 'Member' }), 'bob{Enter}');
    await expect
      .poll(() => server.inputs(teamRecordApi.logs).at(-1))
      .toMatchObject({ id: 4, username: 'bob' });
  });

  test('of a member has no filter for others', async () => {
    open(teamSite({ role: teamRole.member }), '?tab=usage');
    await row(/gpt-4o/);
    expect(screen.queryByRole('textbox', { name: 'Member' })).toBeNull();
  });

  test('that is empty shows a message', async () => {
    const server = teamSite().answer(teamRecordApi.logs, { ...pageWith(), exact: true });
    open(server, '?tab=usage', 'zh');
    await expect.poll(shown).toContain('这个时间范围内没有符合条件的记录。');
  });
});

describe('the statement', () => {
  test('has opening balance, income, spending and closing balance of a month, by kind and by member', async () => {
    open(teamSite(), '?tab=statement&month=2025-10');
    await expect
      .poll(shown)
      .toMatch(/Opening balance\$0\.00Money in\$20\.50Money out\$0\.50Closing balance\$20\.00/);
    expect(shown()).toMatch(/By kind.*Member transfers\$20\.50.*Calls-\$0\.50/);
    expect(shown()).toMatch(/By member.*bob\$0\.5000002 calls/);
    expect((await row(/req-9/)).textContent).toContain('bob');
  });

  test('loads the month that is chosen', async () => {
    const server = teamSite();
    open(server, '?tab=statement&month=2025-11');
    await row(/req-9/);
    expect(server.inputs(teamRecordApi.statement).at(-1)).toMatchObject({ id: 4, month: '2025-11' });
  });

  test('that fails to load can be loaded again', async () => {
    const server = teamSite().fail(teamRecordApi.statement);
    const user = open(server, '?tab=statement');
    await user.click((await screen.findAllByRole('button', { name: 'Try again' }))[0]!);
    server.answer(teamRecordApi.statement, statementSample());
    await user.click((await screen.findAllByRole('button', { name: 'Try again' }))[0]!);
    expect(await row(/req-9/)).toBeDefined();
  });
});

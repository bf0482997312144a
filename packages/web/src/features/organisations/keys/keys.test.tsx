import { screen, within } from '@testing-library/react';
import { teamTokenApi, tokenStatus } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { people } from '../../../testing/samples.ts';
import { teamTokenSample } from '../../../testing/team-samples.ts';
import { teamSite } from '../../../testing/team-site.ts';

const open = (server: FakeServer, search = '', language: 'zh' | 'en' = 'en') =>
  renderPage(`/organisations/4${search}`, { server, as: people.user, language });
const row = (name: RegExp) => screen.findByRole('row', { name });
// Without layout, the library treats menus as hidden behind their anchor.
const item = (name: string) => screen.findByRole('menuitem', { name, hidden: true });
const dialog = async (name: RegExp) => within(await screen.findByRole('dialog', { name }));

describe('keys', () => {
  test('of all members are listed; only one’s own can be used', async () => {
    open(teamSite(), '?tab=keys');
    expect(within(await row(/ada/)).getByRole('button', { name: 'Use' })).toBeDefined();
    const theirs = within(await row(/bob/));
    expect(theirs.queryByRole('button', { name: 'Use' })).toBeNull();
    expect(theirs.getByRole('button', { name: 'Disable' })).toBeDefined();
  });

  test('are created, and shown in full at once', async () => {
    const made = teamTokenSample({ id: 9, name: 'laptop', key: 'whole0key' });
    const server = teamSite().answer(teamTokenApi.create, made);
    const user = open(server);
    await user.click(await screen.findByRole('button', { name: 'New key' }));
    const form = await dialog(/New key/);
    // The organisation pays, not the user's own account.
    expect(form.getByText(/limited by the organisation’s wallet/)).toBeDefined();
    await user.type(form.getByRole('textbox', { name: 'Name' }), 'laptop');
    await user.click(form.getByRole('button', { name: 'Create' }));
    const use = await screen.findByRole('dialog', { name: /created/ });
    await expect.poll(() => use.textContent).toContain('whole0key');
    expect(server.inputs(teamTokenApi.create)).toMatchObject([{ id: 4, name: 'laptop', expired_time: -1 }]);
  });

  test('may have the groups and models of the organisation, not those of the user', async () => {
    const server = teamSite().answer(teamTokenApi.create, teamTokenSample({ id: 9 }));
    const user = open(server, '?tab=keys&edit=new');
    const form = await dialog(/New key/);
    await user.type(form.getByRole('textbox', { name: 'Name' }), 'laptop');
    const group = form.getByRole('combobox', { name: 'Group' });
    expect((group as HTMLInputElement).value).toBe('Same as organisation');
    await user.click(group);
    await user.click(await screen.findByRole('option', { name: /vip/, hidden: true }));
    await user.click(form.getByRole('combobox', { name: 'Model limits' }));
    await user.click(await screen.findByRole('option', { name: 'team-model', hidden: true }));
    await user.click(form.getByRole('button', { name: 'Create' }));
    await expect
      .poll(() => server.inputs(teamTokenApi.create))
      .toMatchObject([{ group: 'vip', model_limits_enabled: true, model_limits: 'team-model' }]);
  });

  test('are enabled and disabled with one click, and deleted after a confirmation', async () => {
    const server = teamSite()
      .answer(teamTokenApi.update, teamTokenSample())
      .answer(teamTokenApi.remove, null);
    const user = open(server, '?tab=keys');
    await user.click(within(await row(/bob/)).getByRole('button', { name: 'Disable' }));
    await expect
      .poll(() => server.inputs(teamTokenApi.update))
      .toMatchObject([{ id: 4, token: 2, status: tokenStatus.disabled, status_only: true }]);
    await user.click(within(await row(/bob/)).getByRole('button', { name: /More actions/ }));
    await user.click(await item('Delete'));
    await user.click((await dialog(/Delete the key/)).getByRole('button', { name: 'Delete' }));
    await expect.poll(() => server.inputs(teamTokenApi.remove)).toEqual([{ id: 4, token: 2 }]);
  });
});

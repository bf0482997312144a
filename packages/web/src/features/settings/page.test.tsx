import { screen, within } from '@testing-library/react';
import { optionApi, type OptionData, secondFactorApi, type VersionCheck } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, sampleTime } from '../../testing/samples.ts';

const stored = (...options: OptionData[]) => ({ data: options, extra: { secrets_set: [] } });
const siteWith = (...options: OptionData[]) => new FakeServer().answer(optionApi.list, stored(...options));

test('settings show what is stored, and what differs from the default', async () => {
  const server = siteWith({ key: 'SystemName', value: 'Acme' });
  renderPage('/setting?q=SystemName', { server, as: people.root });
  expect(await screen.findByRole('textbox', { name: 'Site name' })).toHaveProperty('value', 'Acme');
  await expect.poll(shown).toContain('Not the default');
});

test('a change is saved alone, and the save bar closes', async () => {
  const server = siteWith({ key: 'SystemName', value: 'Acme' }).answer(optionApi.update, null);
  const user = renderPage('/setting?q=SystemName', { server, as: people.root });
  const field = await screen.findByRole('textbox', { name: 'Site name' });
  await user.type(field, ' Inc');
  const bar = (await screen.findByText('1 change')).parentElement!;
  server.answer(optionApi.list, stored({ key: 'SystemName', value: 'Acme Inc' }));
  await user.click(within(bar).getByRole('button', { name: 'Save' }));
  await expect.poll(shown).not.toContain('1 change');
  expect(server.inputs(optionApi.update)).toEqual([{ key: 'SystemName', value: 'Acme Inc' }]);
});

test('a text from which the server removed something is saved, and that is shown', async () => {
  const server = siteWith().answer(optionApi.update, null);
  const user = renderPage('/setting?q=Footer', { server, as: people.root });
  await user.type(await screen.findByRole('textbox', { name: 'Footer' }), '<b>us</b><script>x</script>');
  server.answer(optionApi.list, stored({ key: 'Footer', value: '<b>us</b>' }));
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect((await screen.findByText(/was removed from/)).textContent).toContain('“Footer”');
});

test('a setting that the server refuses keeps its input, with the reason', async () => {
  const server = siteWith().refuse(optionApi.update, 'Not this name');
  const user = renderPage('/setting?q=SystemName', { server, as: people.root });
  await user.type(await screen.findByRole('textbox', { name: 'Site name' }), 'X');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect((await screen.findByText(/Not this name/)).textContent).toContain('Save failed');
  await expect.poll(shown).toContain('1 change');
});

test('a switch that needs another setting of the same save is tried again after it', async () => {
  const stored = new Map<string, string>();
  const server = siteWith().answer(optionApi.update, ({ key, value }) => {
    if (key === 'GitHubOAuthEnabled' && !stored.has('GitHubClientId')) throw new Error('no client ID yet');
    stored.set(key, String(value));
    return null;
  });
  const user = renderPage('/setting?q=GitHub', { server, as: people.root });
  await user.click(await screen.findByRole('switch', { name: /GitHub/ }));
  await user.type(await screen.findByRole('textbox', { name: /Client ID/i }), 'Iv1.abc');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await expect
    .poll(() => Object.fromEntries(stored))
    .toEqual({ GitHubClientId: 'Iv1.abc', GitHubOAuthEnabled: 'true' });
  expect(shown()).not.toMatch(/ave failed/);
});

test('invalid JSON shows line and column of the error', async () => {
  const server = siteWith({ key: 'GroupRatio', value: '{"default": 1}' });
  const user = renderPage('/setting?q=GroupRatio', { server, as: people.root });
  await user.click((await screen.findAllByRole('radio', { name: 'JSON' }))[0]!);
  const field = await screen.findByDisplayValue('{"default": 1}');
  await user.clear(field);
  await user.click(field);
  await user.paste('{\n  "default": one\n}');
  await user.tab();
  await expect.poll(shown).toContain('Not a valid JSON string (line 2, column 14)');
});

test('the number of users with a second factor is shown by role beside the switch that requires it', async () => {
  const server = siteWith().answer(secondFactorApi.stats, [
    { role: 10, users: 3, authenticator: 2, passkey: 1, protected: 2 },
    { role: 1, users: 40, authenticator: 0, passkey: 0, protected: 0 },
  ]);
  renderPage('/setting?q=AdminSecondFactorRequired', { server, as: people.root });
  await expect.poll(shown).toMatch(/Admin\s*2 of 3 · authenticator app 2, passkey 1/);
  await expect.poll(shown).toMatch(/User\s*0 of 40(?! ·)/);
});

test('a failed count of second factors is shown', async () => {
  const server = siteWith().fail(secondFactorApi.stats);
  renderPage('/setting?q=AdminSecondFactorRequired', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('要求管理员启用两步验证');
  await expect.poll(shown).toMatch(/服务器/);
});

test('a search without a match shows that', async () => {
  renderPage('/setting?q=zzzz', { server: siteWith(), as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('没有符合的设置');
});

test('settings that fail to load show an error and can be loaded again', async () => {
  const server = siteWith().fail(optionApi.list);
  const user = renderPage('/setting', { server, as: people.root });
  await expect.poll(shown).toContain('Could not load');
  server.answer(optionApi.list, stored());
  await tryAgain(user);
  await expect.poll(shown).toContain('Groups and limits');
});

test('administrators who are not root are shown that, and nothing is requested', async () => {
  const server = siteWith();
  renderPage('/setting', { server, as: people.admin });
  await expect.poll(shown).toContain('No access');
  expect(server.inputs(optionApi.list)).toEqual([]);
});

const asked: VersionCheck = {
  enabled: true,
  checked_time: sampleTime,
  latest: 'v9.0',
  is_newer: true,
  page: 'https://releases.example/9',
  notes: '<b>Better</b>',
  failed: false,
};

test('a newer version is shown with its page, and its notes are plain text', async () => {
  const server = siteWith().answer(optionApi.latestVersion, asked);
  const user = renderPage('/setting?q=VersionCheckEnabled', { server, as: people.root });
  await expect.poll(shown).toContain('Version v9.0 is available');
  expect(shown()).toContain('<b>Better</b>');
  expect(screen.getByRole('link', { name: 'Release page' }).getAttribute('href')).toBe(asked.page);
  server.answer(optionApi.latestVersion, { ...asked, is_newer: false });
  await user.click(screen.getByRole('button', { name: 'Check again' }));
  await expect.poll(shown).toContain('This is the newest version (v9.0)');
  expect(server.inputs(optionApi.latestVersion)).toMatchObject([{ again: 'false' }, { again: 'true' }]);
});

test('while the check is off the page shows that no request is made, in Chinese', async () => {
  const off = { ...asked, enabled: false, latest: '', is_newer: false, page: '', notes: '' };
  const server = siteWith().answer(optionApi.latestVersion, off);
  renderPage('/setting?q=VersionCheckEnabled', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('本站不会向任何地址查询');
});

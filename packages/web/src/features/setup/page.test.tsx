import { screen } from '@testing-library/react';
import { authApi, selfApi, setupApi, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { currentUser } from '../../lib/session.ts';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';

const fresh = { status: false, root_init: false, database_type: 'sqlite', token_required: true } as const;
const site = () =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ setup: false }))
    .answer(setupApi.get, fresh)
    .answer(setupApi.create, { key: 'sandbox0key' })
    .answer(authApi.login, people.root)
    .answer(selfApi.models, ['sandbox-echo']);

test('a new site is set up, its administrator logged in, and the sandbox key shown', async () => {
  const server = site();
  const user = renderPage('/setup#token=printed', { server, as: null });
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'root');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.type(screen.getByLabelText('Confirm password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await user.click(await screen.findByRole('radio', { name: /Self-use/ }));
  await user.click(screen.getByRole('button', { name: 'Initialize the system' }));
  await expect.poll(shown).toContain('sk-sandbox0key');
  expect(server.inputs(setupApi.create)).toMatchObject([
    { username: 'root', token: 'printed', SelfUseModeEnabled: true, DemoSiteEnabled: false, sandbox: true },
  ]);
  expect(currentUser()).toEqual(people.root);
  expect(window.location.hash).toBe('');
});

test('required fields are marked before the next step', async () => {
  const user = renderPage('/setup', { server: site(), as: null, language: 'zh' });
  await user.click(await screen.findByRole('button', { name: '下一步' }));
  await expect
    .poll(shown)
    .toMatch(/请输入启动时打印的初始化口令.*请输入管理员用户名.*密码长度至少为 8 个字符/);
  await user.type(screen.getByRole('textbox', { name: '用户名' }), 'x'.repeat(21));
  await user.click(screen.getByRole('button', { name: '下一步' }));
  await expect.poll(shown).toContain('用户名不能超过 20 个字符');
});

test('a wrong token is reported at its field', async () => {
  const server = site()
    .answer(setupApi.get, { ...fresh, root_init: true })
    .refuse(setupApi.create, 'This token is wrong', 'setup_token_wrong');
  const user = renderPage('/setup#token=old', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Next' }));
  await user.click(await screen.findByRole('button', { name: 'Initialize the system' }));
  await expect.poll(shown).toContain('This token is wrong');
  expect(screen.getByRole('textbox', { name: 'Set-up token' })).toHaveProperty('value', '');
});

test('a state that fails to load shows an error and can be loaded again', async () => {
  const server = site().fail(setupApi.get);
  const user = renderPage('/setup', { server, as: null });
  await expect.poll(shown).toContain('Could not load');
  server.answer(setupApi.get, fresh);
  await tryAgain(user);
  await expect.poll(shown).toContain('You are using SQLite');
});

test.each(['/token', '/no-such-page'])('%s of a new site leads here, too', async (address) => {
  renderPage(address, { server: site(), as: null });
  await expect.poll(shown).toContain('System initialization');
});

test('an import from another gateway is rehearsed, and its command shown without the password', async () => {
  const server = site().answer(setupApi.rehearse, { report: 'Source: litellm, on postgres' });
  const user = renderPage('/setup#token=printed', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Move in from another gateway' }));
  await user.click(await screen.findByRole('button', { name: 'Rehearse' }));
  await expect.poll(shown).toContain('Please enter the address of the database');
  expect(server.inputs(setupApi.rehearse)).toEqual([]);
  await user.type(
    screen.getByRole('textbox', { name: 'Database of the old gateway' }),
    'postgres://me:hidden@db/litellm',
  );
  await user.type(screen.getByRole('textbox', { name: 'Credit (US dollars)' }), '1000');
  await user.type(screen.getByLabelText('Encryption key'), 'sk-salt');
  await user.click(screen.getByRole('button', { name: 'Rehearse' }));
  await expect.poll(shown).toContain('Source: litellm, on postgres');
  expect(server.inputs(setupApi.rehearse)).toEqual([
    {
      token: 'printed',
      source_database: 'postgres://me:hidden@db/litellm',
      source_key: 'sk-salt',
      credit: 1000,
    },
  ]);
  expect(shown()).toContain("tollgate import --from='postgres://me:…@db/litellm' --credit=1000");
  expect(shown()).not.toContain('hidden');
  // The command stays that of the rehearsal while its fields change.
  await user.type(screen.getByRole('textbox', { name: 'Credit (US dollars)' }), '0');
  expect(shown()).toContain('--credit=1000');
  expect(shown()).not.toContain('--credit=10000');
  expect(screen.getByRole('button', { name: 'Copy Command of the import' })).toBeDefined();
});

test.each([
  ['root:a:b/c@d@tcp(db:3306)/oneapi', 'root:…@tcp(db:3306)/oneapi'],
  ['mysql://root:a:b@db/oneapi', 'mysql://root:…@db/oneapi'],
  ['postgres://me@db/litellm', 'postgres://me@db/litellm'],
  ['/data/a:b@c.db', '/data/a:b@c.db'],
])('the command of an import from %s has no password', async (source, address) => {
  const server = site().answer(setupApi.rehearse, { report: 'Source: one-api, on mysql' });
  const user = renderPage('/setup#token=printed', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Move in from another gateway' }));
  await user.type(await screen.findByRole('textbox', { name: 'Database of the old gateway' }), source);
  await user.click(screen.getByRole('button', { name: 'Rehearse' }));
  await expect.poll(shown).toContain(`tollgate import --from='${address}'`);
});

test('a rehearsal that is refused shows the reason', async () => {
  const server = site().refuse(setupApi.rehearse, 'It cannot be moved in: no such file', 'import_refused');
  const user = renderPage('/setup#token=printed', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Move in from another gateway' }));
  await user.type(await screen.findByRole('textbox', { name: 'Database of the old gateway' }), '/x.db');
  await user.click(screen.getByRole('button', { name: 'Rehearse' }));
  await expect.poll(shown).toContain('It cannot be moved in: no such file');
});

import { screen, within } from '@testing-library/react';
import {
  authApi,
  emailApi,
  oauthApi,
  passkeyApi,
  personalDataApi,
  personalDataParts,
  role,
  secondFactorApi,
  secretMask,
  selfApi,
  statusApi,
  type SessionData,
} from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { factorsSample, people, sampleTime, statusSample, userSample } from '../../testing/samples.ts';

const session = (given: Partial<SessionData>): SessionData => ({
  id: 'one',
  created_time: sampleTime,
  seen_time: sampleTime,
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  current: true,
  ...given,
});
const site = (self = userSample()) =>
  new FakeServer()
    .answer(selfApi.get, self)
    .answer(selfApi.models, ['gpt-4o', 'gpt-4o-mini'])
    .answer(selfApi.aff, 'Ab3D')
    .answer(authApi.sessions, [session({})])
    .answer(secondFactorApi.status, factorsSample())
    .answer(passkeyApi.list, { enabled: false, passkeys: [] });
const part = (id: string) => within(document.getElementById(id) ?? document.body);

test('the account, its balance, its models and the invitation link are shown', async () => {
  renderPage('/personal', { server: site(), as: people.user });
  await expect.poll(shown).toMatch(/Balance.*\$10\.00.*Spent so far.*\$2\.50.*gpt-4o-mini/);
  await expect.poll(shown).toContain('https://gate.example/register?aff=Ab3D');
});

test('what is typed while a name is being saved stays, and what was saved counts as unchanged', async () => {
  const self = userSample({ username: 'ada', display_name: 'Ada' });
  const { promise: answered, resolve: answer } = Promise.withResolvers<typeof self>();
  const server = site(self).answer(selfApi.update, null);
  const user = renderPage('/personal', { server, as: people.user });
  const name = await screen.findByRole('textbox', { name: 'Display name' });
  await user.clear(name);
  await user.type(name, ' Countess ');
  server.answer(selfApi.get, () => answered);
  await user.click(part('account').getByRole('button', { name: 'Save' }));
  await expect.poll(() => server.inputs(selfApi.update)).toEqual([{ display_name: 'Countess' }]);
  await user.type(screen.getByRole('textbox', { name: 'Username' }), '-2');
  answer({ ...self, display_name: 'Countess' });
  await expect.poll(() => part('account').queryByText('Countess')).not.toBeNull();
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Username' }).value).toBe('ada-2');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Display name' }).value).toBe('Countess');
  await user.type(screen.getByRole('textbox', { name: 'Username' }), '{Backspace}{Backspace}');
  expect(part('account').getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
});

test('methods that this site does not offer are not listed, unless they are bound', async () => {
  const server = site(userSample({ email: 'ada@example.com', wechat_id: 'wx-7' })).answer(
    statusApi.status,
    statusSample({ github_oauth: true }),
  );
  renderPage('/personal', { server, as: people.user });
  await expect.poll(() => part('bindings').queryAllByRole('listitem').length).toBe(3);
  const listed = part('bindings').getAllByRole('listitem');
  expect(listed.map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^E-mailada@example\.com/),
    expect.stringMatching(/^GitHub/),
    expect.stringMatching(/^WeChatwx-7/),
  ]);
});

test('providers that root added are listed by name; a disabled one is marked and can still be unbound', async () => {
  const offered = [{ slug: 'works', name: 'The Works', logo: 'data:image/png;base64,AAAA' }];
  const server = site(userSample({ bindings: ['works', 'school'] })).answer(
    statusApi.status,
    statusSample({ custom_oauth_providers: offered }),
  );
  renderPage('/personal', { server, as: people.user });
  await expect.poll(() => part('bindings').queryAllByRole('listitem').length).toBe(3);
  const [, works, school] = part('bindings').getAllByRole('listitem');
  expect(works?.textContent).toBe('The WorksBoundUnbind');
  expect(works?.querySelector('img')?.getAttribute('src')).toBe('data:image/png;base64,AAAA');
  expect(school?.textContent).toMatch(/^school.*cannot log in with it now\.BoundUnbind$/);
});

test('an address is bound by the code that was sent there, and the password', async () => {
  const server = site().answer(emailApi.sendCode, null).answer(emailApi.bind, null);
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Bind an address' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Bind' }));
  await dialog.findByText('Please enter the code from the e-mail');
  await user.type(dialog.getByLabelText('E-mail address'), 'ada@example.com');
  await user.click(dialog.getByRole('button', { name: 'Send code' }));
  await dialog.findByText('The code was sent. Please check your inbox.');
  await user.type(dialog.getByLabelText('Verification code'), ' 123456 ');
  await user.type(dialog.getByLabelText('Current password'), 'a good password');
  server.answer(selfApi.get, userSample({ email: 'ada@example.com' }));
  await user.click(dialog.getByRole('button', { name: 'Bind' }));
  await screen.findByText('E-mail address bound');
  await expect.poll(() => part('bindings').queryByText('ada@example.com')).not.toBeNull();
  expect(server.inputs(emailApi.sendCode)).toMatchObject([{ email: 'ada@example.com' }]);
  expect(server.inputs(emailApi.bind)).toEqual([{ email: 'ada@example.com', code: '123456' }]);
});

test('a changed webhook address asks for its secret again before anything is sent', async () => {
  const setting = { notify_type: 'webhook', webhook_url: 'https://a.example', webhook_secret: secretMask };
  const server = site(userSample({ setting: JSON.stringify(setting) })).answer(selfApi.setting, null);
  const user = renderPage('/personal', { server, as: people.user });
  const address = await screen.findByRole('textbox', { name: 'Webhook address' });
  await user.clear(address);
  await user.type(address, 'https://b.example');
  await user.click(part('notices').getByRole('button', { name: 'Save' }));
  await screen.findByText('The webhook address has changed, please enter its secret again');
  expect(server.inputs(selfApi.setting)).toEqual([]);
});

test('the other sessions are ended together, the current one stays', async () => {
  const others = [session({ id: 'two', current: false }), session({ id: 'three', current: false })];
  const server = site()
    .answer(authApi.sessions, [session({}), ...others])
    .answer(authApi.endSession, null);
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'End all others' }));
  await screen.findByText('All other sessions are ended');
  expect(server.inputs(authApi.endSession)).toEqual([{ session: 'two' }, { session: 'three' }]);
});

test('all data of the user are exported as one file, page by page', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:data';
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
  const server = site().answer(personalDataApi.own, ({ part, after }) => {
    if (part === 'log')
      return after === '' ? { rows: [{ id: 1 }], next: '9.1' } : { rows: [{ id: 2 }], next: null };
    return { rows: part === 'account' ? [{ username: 'ann' }] : [], next: null };
  });
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Export data' }));
  await screen.findByText('3 entries exported');
  const { data } = JSON.parse(await files[0]!.text()) as { data: Record<string, unknown> };
  expect(Object.keys(data)).toEqual([...personalDataParts]);
  expect(data).toMatchObject({ account: [{ username: 'ann' }], log: [{ id: 1 }, { id: 2 }], keys: [] });
  vi.restoreAllMocks();
});

test('an export that fails shows the reason and can be started again', async () => {
  const server = site().refuse(personalDataApi.own, 'not now');
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Export data' }));
  await screen.findByText('not now');
  expect(await screen.findByRole('button', { name: 'Export data' })).toBeTruthy();
});

test('a super admin sees that the account cannot be deleted', async () => {
  renderPage('/personal', { server: site(userSample({ role: role.root })), as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('不能删除超级管理员账户');
  expect(part('removal').queryAllByRole('button')).toEqual([]);
});

test('an account that fails to load shows an error and can be loaded again', async () => {
  const server = site().fail(selfApi.get);
  const user = renderPage('/personal', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(selfApi.get, userSample());
  await tryAgain(user);
  await expect.poll(shown).toContain('$10.00');
});

test('another site is unbound with the password, and the last sign-in method stays', async () => {
  const server = site(userSample({ bindings: ['discord', 'github'], github_id: '42' }))
    .answer(statusApi.status, statusSample({ github_oauth: true, discord_oauth: true }))
    .refuse(oauthApi.unbind, '这是您唯一的登录方式');
  const user = renderPage('/personal', { server, as: people.user, language: 'zh' });
  await user.click(await screen.findByRole('button', { name: '解绑 GitHub' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText('请输入当前密码以继续'), 'secret-word');
  await user.click(dialog.getByRole('button', { name: '解绑' }));
  await dialog.findByText('这是您唯一的登录方式');
  expect(server.inputs(oauthApi.unbind)).toMatchObject([{ provider: 'github' }]);
  await user.click(dialog.getByRole('button', { name: '取消' }));
});

test('a user without a password is asked for none, and sets a first one', async () => {
  const server = site(userSample({ has_password: false }))
    .answer(statusApi.status, statusSample({ wechat_login: true }))
    .answer(oauthApi.wechatBind, null)
    .answer(selfApi.update, null);
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Bind WeChat' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.queryByLabelText('Current password')).toBeNull();
  await user.type(dialog.getByLabelText('Verification code'), '4711{Enter}');
  await expect.poll(() => server.inputs(oauthApi.wechatBind)).toMatchObject([{ code: '4711' }]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await user.type(part('password').getByLabelText('New password'), 'a first password');
  await user.type(part('password').getByLabelText(/again/i), 'a first password{Enter}');
  await expect.poll(() => server.inputs(selfApi.update)).toMatchObject([{ password: 'a first password' }]);
});

test('access tokens are listed with their scope, made with a name and a lifetime, and revoked', async () => {
  const unnamed = { id: 0, name: '', scope: 'all', created_time: 0, used_time: 0, expires_time: 0 } as const;
  const made = { ...unnamed, id: 3, name: 'monitoring', scope: 'read', token: 'a-new-token' } as const;
  const server = site()
    .answer(selfApi.accessTokens, [unnamed])
    .answer(selfApi.createAccessToken, made)
    .answer(selfApi.endAccessToken, null);
  const user = renderPage('/personal', { server, as: people.user });
  const panel = part('access-token');
  await panel.findByText('Made by a program');
  await user.click(panel.getByRole('button', { name: 'Create an access token' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create an access token' });
  const form = within(dialog);
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'monitoring');
  await user.type(form.getByLabelText(/current password/), 'a password');
  await user.click(form.getByRole('button', { name: 'Create an access token' }));
  await expect.poll(shown).toContain('Save it now');
  expect(server.inputs(selfApi.createAccessToken)).toEqual([{ name: 'monitoring', scope: 'read', days: 90 }]);
  await user.click(panel.getByRole('button', { name: 'Revoke Made by a program' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke' }));
  await expect.poll(() => server.inputs(selfApi.endAccessToken)).toEqual([{ id: 0 }]);
});

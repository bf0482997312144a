import { screen } from '@testing-library/react';
import { authApi, oauthApi, secondFactorApi, selfApi, statusApi, tokenApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { currentUser } from '../../lib/session.ts';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { people, statusSample, userSample } from '../../testing/samples.ts';

const site = () =>
  new FakeServer()
    .answer(authApi.login, people.user)
    .answer(tokenApi.list, [])
    .answer(selfApi.get, userSample());

test('a user logs in and is redirected to the tokens', async () => {
  const server = site();
  const user = renderPage('/login', { server, as: null });
  await user.type(await screen.findByLabelText('Username or e-mail'), ' ada ');
  await user.type(screen.getByLabelText('Password'), 'secret-word');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  await expect.poll(shown).toContain('Keys');
  expect(server.inputs(authApi.login)).toMatchObject([{ username: 'ada', password: 'secret-word' }]);
  expect(currentUser()).toEqual(people.user);
});

test("a wrong password shows the server's message, and no one is logged in", async () => {
  const server = site().refuse(authApi.login, '用户名或密码错误，或用户已被封禁');
  const user = renderPage('/login', { server, as: null, language: 'zh' });
  await user.type(await screen.findByLabelText('用户名或邮箱'), 'ada');
  await user.type(screen.getByLabelText('密码'), 'wrong');
  await user.click(screen.getByRole('button', { name: '登录' }));
  expect((await screen.findByRole('alert')).textContent).toBe('用户名或密码错误，或用户已被封禁');
  expect(currentUser()).toBeNull();
});

test('an empty form marks its required fields and sends nothing', async () => {
  const server = site();
  const user = renderPage('/login', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Log in' }));
  expect(await screen.findAllByText('Required')).toHaveLength(2);
  expect(screen.getByRole('alert').textContent).toBe('Please enter your username and password!');
  expect(server.inputs(authApi.login)).toEqual([]);
});

test('a user who was logged out by the server is shown the reason', async () => {
  renderPage('/login?expired=true', { server: site(), as: null });
  await expect.poll(shown).toContain('session expired');
});

test.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  'https://evil.example/',
])('an address of another site, %j, is not followed after the log-in', async (next) => {
  const user = renderPage(`/login?next=${encodeURIComponent(next)}`, { server: site(), as: null });
  await user.type(await screen.findByLabelText('Username or e-mail'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'secret-word{Enter}');
  await expect.poll(() => window.location.pathname).toBe('/token');
});

const providers = [
  { slug: 'works', name: 'The Works', logo: 'https://works.example/logo.svg' },
  { slug: 'school', name: '学校', logo: '' },
];

test('providers that root added have buttons with their names and logos, and open their own pages', async () => {
  const status = statusSample({ github_oauth: true, custom_oauth_providers: providers });
  const server = site()
    .answer(statusApi.status, status)
    .refuse(oauthApi.start, 'The Works cannot be reached');
  const user = renderPage('/login', { server, as: null });
  const button = await screen.findByRole('button', { name: 'Continue with The Works' });
  await expect
    .poll(() => button.querySelector('img')?.getAttribute('src'))
    .toBe('https://works.example/logo.svg');
  const names = screen.getAllByRole('button', { name: /^Continue with/ }).map((each) => each.textContent);
  expect(names).toEqual(['Continue with GitHub', 'Continue with The Works', 'Continue with 学校']);
  await user.click(button);
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
  expect(server.inputs(oauthApi.start)).toEqual([{ provider: 'works', aff: '' }]);
});

test('many providers are shown by name alone, on the sign-up page too', async () => {
  const status = statusSample({ github_oauth: true, discord_oauth: true, custom_oauth_providers: providers });
  renderPage('/register', { server: site().answer(statusApi.status, status), as: null, language: 'zh' });
  const button = await screen.findByRole('button', { name: '使用 学校 继续' });
  expect(button.textContent).toBe('学校');
});

test('an account with a second factor is asked for a code before it is logged in', async () => {
  const server = site()
    .answer(authApi.login, { require_2fa: true, authenticator: true, passkey: false })
    .refuse(secondFactorApi.finishSignIn, 'The code is wrong or was used before');
  const user = renderPage('/login?next=/token?page=2', { server, as: null });
  await user.type(await screen.findByLabelText('Username or e-mail'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'secret-word{Enter}');
  const code = await screen.findByLabelText('Code');
  expect(currentUser()).toBeNull();
  await user.type(code, '123456{Enter}');
  expect((await screen.findByRole('alert')).textContent).toContain('The code is wrong');
  expect(currentUser()).toBeNull();
  server.answer(secondFactorApi.finishSignIn, people.user);
  await user.type(screen.getByLabelText('Code'), ' 654321 {Enter}');
  await expect.poll(() => currentUser()).toEqual(people.user);
  expect(server.inputs(secondFactorApi.finishSignIn)).toEqual([{ code: '123456' }, { code: '654321' }]);
  await expect.poll(() => window.location.pathname + window.location.search).toBe('/token?page=2');
});

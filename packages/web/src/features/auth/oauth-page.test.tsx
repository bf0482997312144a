import { screen } from '@testing-library/react';
import { oauthApi, selfApi, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { currentUser } from '../../lib/session.ts';
import { FakeServer } from '../../testing/fake-server.ts';
import { erase, renderPage, shown } from '../../testing/render-page.tsx';
import { people, statusSample, userSample } from '../../testing/samples.ts';

const site = () => new FakeServer().answer(statusApi.homePageContent, '').answer(selfApi.get, userSample());

test('a user who returns from another site is signed in and redirected to the home page', async () => {
  const server = site().answer(oauthApi.callback, people.user);
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null });
  await expect.poll(() => window.location.pathname).toBe('/');
  expect(server.inputs(oauthApi.callback)).toMatchObject([{ provider: 'github', code: 'c1', state: 's1' }]);
  expect(currentUser()).toEqual(people.user);
});

/** Goes from the log-in page to GitHub's, with a remembered return address. */
async function leaveFor(server: FakeServer, next: string): Promise<void> {
  const status = { ...statusSample(), github_oauth: true };
  server.answer(statusApi.status, status).answer(oauthApi.start, `${window.location.origin}/login#github`);
  const user = renderPage(`/login?next=${encodeURIComponent(next)}`, { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Continue with GitHub' }));
  await expect.poll(() => server.inputs(oauthApi.start)).toHaveLength(1);
  erase();
}

test('a user is redirected to the page that was requested before the sign-in', async () => {
  const server = site().answer(oauthApi.callback, people.user).answer(statusApi.about, '');
  await leaveFor(server, '/about?a=1#code');
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null });
  await expect.poll(() => window.location.pathname).toBe('/about');
  expect(window.location.href).toContain('/about?a=1#code');
});

test('the second step keeps the requested page as well', async () => {
  const server = site().answer(oauthApi.callback, { require_2fa: true, authenticator: true, passkey: false });
  await leaveFor(server, '/organisations/join#code');
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null });
  await expect.poll(() => window.location.pathname).toBe('/login');
  expect(new URLSearchParams(window.location.search).get('next')).toBe('/organisations/join#code');
});

test('a refused user keeps the requested page, and an address of another site is ignored', async () => {
  const server = site().refuse(oauthApi.callback, 'no');
  await leaveFor(server, '/token');
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null });
  const back = await screen.findByRole('link', { name: 'Back to log-in' });
  expect(back.getAttribute('href')).toBe('/login?next=%2Ftoken');
  erase();
  const other = site().answer(oauthApi.callback, people.user);
  await leaveFor(other, '//evil.example');
  renderPage('/oauth/github?code=c2&state=s2', { server: other, as: null });
  await expect.poll(() => window.location.pathname).toBe('/');
});

test('an answer that comes too late or to another browser shows what to do', async () => {
  const server = site().refuse(oauthApi.callback, 'state is empty or not same', 'oauth_state_wrong');
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null });
  const words = (await screen.findByRole('alert')).textContent;
  expect(words).toContain('Please start again');
  expect(words).not.toContain('state is empty');
});

test('an address of no provider shows a message of its own', async () => {
  const server = site().refuse(oauthApi.callback, '记录不存在', 'row_not_found');
  renderPage('/oauth/nobody?code=c1&state=s1', { server, as: null });
  expect((await screen.findByRole('alert')).textContent).toContain('This site has no such sign-in method');
});

test("a refusal shows the server's message, with a link back", async () => {
  const server = site().refuse(oauthApi.callback, '该 GitHub 账户已被绑定');
  renderPage('/oauth/github?code=c1&state=s1', { server, as: null, language: 'zh' });
  expect((await screen.findByRole('alert')).textContent).toBe('该 GitHub 账户已被绑定');
  expect(screen.getByRole('link', { name: '返回登录' }).getAttribute('href')).toBe('/login');
  expect(currentUser()).toBeNull();
});

test('the log-in offers the enabled methods alone, and asks WeChat for a code', async () => {
  const status = { ...statusSample(), github_oauth: true, wechat_login: true, telegram_bot_name: 'gate_bot' };
  const server = site().answer(statusApi.status, status).answer(oauthApi.wechat, people.user);
  const user = renderPage('/login', { server, as: null });
  await screen.findByRole('button', { name: 'Continue with GitHub' });
  expect(shown()).not.toContain('Telegram');
  await user.click(screen.getByRole('button', { name: 'Continue with WeChat' }));
  await user.type(await screen.findByLabelText('Verification code'), '4711{Enter}');
  await expect.poll(() => window.location.pathname).toBe('/');
  expect(server.inputs(oauthApi.wechat)).toMatchObject([{ code: '4711' }]);
});

import { screen } from '@testing-library/react';
import { authApi, emailApi, statusApi } from '@tollgate/contract';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { statusSample } from '../../testing/samples.ts';

async function fill(user: UserEvent, password: string, again: string) {
  await user.type(await screen.findByLabelText('Username'), 'ada');
  await user.type(screen.getByLabelText('Password'), password);
  await user.type(screen.getByLabelText('Password again'), again);
  await user.click(screen.getByRole('button', { name: 'Sign up' }));
}

test("a user signs up with the inviter's code and is redirected to the log-in", async () => {
  const server = new FakeServer().answer(authApi.register, null);
  const user = renderPage('/register?aff=AB12', { server, as: null });
  await fill(user, 'long-enough', 'long-enough');
  await expect.poll(shown).toContain('Log in to Acme');
  expect(server.inputs(authApi.register)).toMatchObject([
    { username: 'ada', password: 'long-enough', aff_code: 'AB12' },
  ]);
});

test('two passwords that differ are not sent', async () => {
  const server = new FakeServer().answer(authApi.register, null);
  const user = renderPage('/register', { server, as: null });
  await fill(user, 'long-enough', 'long-enougH');
  await expect.poll(shown).toContain('The two passwords do not match');
  expect(server.inputs(authApi.register)).toEqual([]);
});

test('a code is not asked for without an address, and that is said at the address', async () => {
  const server = new FakeServer()
    .answer(statusApi.status, statusSample({ email_verification: true }))
    .answer(emailApi.sendCode, null);
  const user = renderPage('/register', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Send code' }));
  await screen.findByText('Enter your e-mail address first');
  expect(document.activeElement).toBe(screen.getByLabelText('E-mail address'));
  await user.keyboard('ada@acme.example');
  expect(screen.queryByText('Enter your e-mail address first')).toBeNull();
  expect(server.inputs(emailApi.sendCode)).toEqual([]);
});

test('a refusal is told in the words of the server', async () => {
  const server = new FakeServer().refuse(authApi.register, 'This name is taken');
  const user = renderPage('/register', { server, as: null });
  await fill(user, 'long-enough', 'long-enough');
  expect((await screen.findByRole('alert')).textContent).toBe('This name is taken');
});

test('a site without registration shows that', async () => {
  const server = new FakeServer().answer(statusApi.status, statusSample({ register_enabled: false }));
  renderPage('/register', { server, as: null, language: 'zh' });
  await expect.poll(shown).toContain('管理员关闭了注册');
});

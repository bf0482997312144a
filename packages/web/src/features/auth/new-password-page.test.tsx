import { screen } from '@testing-library/react';
import { emailApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';

const link = '/user/reset?email=ada%40acme.example&token=t0ken';

test('the link of the mail creates a new password on confirmation, and shows it', async () => {
  const server = new FakeServer().answer(emailApi.reset, 'new-pass-1');
  const user = renderPage(link, { server, as: null });
  await expect.poll(shown).toContain('A new password is generated for ada@acme.example');
  expect(server.inputs(emailApi.reset)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Generate a new password' }));
  await expect.poll(shown).toContain('new-pass-1');
  expect(server.inputs(emailApi.reset)).toEqual([{ email: 'ada@acme.example', token: 't0ken' }]);
});

test("an expired link shows the server's message", async () => {
  const server = new FakeServer().refuse(emailApi.reset, 'This link is out of date');
  const user = renderPage(link, { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Generate a new password' }));
  expect((await screen.findByRole('alert')).textContent).toBe('This link is out of date');
});

test('a call that did not come through is made again', async () => {
  const server = new FakeServer().fail(emailApi.reset, 503);
  const user = renderPage(link, { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Generate a new password' }));
  await screen.findByRole('alert');
  server.answer(emailApi.reset, 'new-pass-2');
  await user.click(screen.getByRole('button', { name: 'Generate a new password' }));
  await expect.poll(shown).toContain('new-pass-2');
});

test('a link that was cut off offers nothing but the way back', async () => {
  renderPage('/user/reset?email=ada%40acme.example', { server: new FakeServer(), as: null, language: 'zh' });
  await expect.poll(shown).toContain('无效的重置链接');
  expect(screen.queryByRole('button', { name: '生成新密码' })).toBeNull();
});

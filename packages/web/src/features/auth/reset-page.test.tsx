import { screen } from '@testing-library/react';
import { emailApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';

test('a link is requested, and not a second time at once', async () => {
  const server = new FakeServer().answer(emailApi.askReset, null);
  const user = renderPage('/reset', { server, as: null });
  await user.type(await screen.findByRole('textbox', { name: 'E-mail address' }), ' ada@acme.example ');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  await expect.poll(shown).toContain('If an account uses this address, a reset link is on its way.');
  expect(server.inputs(emailApi.askReset)).toMatchObject([{ email: 'ada@acme.example' }]);
  expect(await screen.findByRole('button', { name: /^Resend in/ })).toHaveProperty('disabled', true);
});

test("a refusal shows the server's message, and can be repeated", async () => {
  const server = new FakeServer().refuse(emailApi.askReset, '发送过于频繁');
  const user = renderPage('/reset', { server, as: null, language: 'zh' });
  await user.type(await screen.findByRole('textbox', { name: '邮箱地址' }), 'ada@acme.example');
  await user.click(screen.getByRole('button', { name: '发送重置链接' }));
  expect((await screen.findByRole('alert')).textContent).toBe('发送过于频繁');
  expect(screen.getByRole('button', { name: '发送重置链接' })).toHaveProperty('disabled', false);
});

test('an empty form marks the address and sends nothing', async () => {
  const server = new FakeServer().answer(emailApi.askReset, null);
  const user = renderPage('/reset', { server, as: null });
  await user.click(await screen.findByRole('button', { name: 'Send the link' }));
  await expect.poll(shown).toContain('Required');
  expect(server.inputs(emailApi.askReset)).toEqual([]);
});

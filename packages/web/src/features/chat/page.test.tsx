import { screen } from '@testing-library/react';
import { selfApi, statusApi, tokenApi, tokenStatus } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample, tokenSample, userSample } from '../../testing/samples.ts';

const framed = { Lobby: 'https://lobby.example/#key={key}&url={address}' };
const onDevice = { Desk: 'desk://open?key={key}' };
const siteWith = (...chats: Record<string, string>[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ chats }))
    .answer(tokenApi.list, [tokenSample({ id: 5 })])
    .answer(tokenApi.get, tokenSample({ id: 5, key: 'whole0key' }));

test('the only application opens in a frame, with address and key filled in', async () => {
  renderPage('/chat', { server: siteWith(framed), as: people.user });
  const frame = await screen.findByTitle('Lobby');
  expect(frame.getAttribute('src')).toBe(
    'https://lobby.example/#key=sk-whole0key&url=https%3A%2F%2Fgate.example',
  );
  expect(frame.getAttribute('sandbox')).not.toContain('allow-top-navigation');
});

test('among several the user chooses, and sees the target of each', async () => {
  renderPage('/chat', { server: siteWith(framed, onDevice), as: people.user });
  const link = await screen.findByRole('link', { name: /Lobby/ });
  expect(link.textContent).toContain('lobby.example');
  expect(link.getAttribute('href')).toBe('/chat/0');
});

test('an application of the device has its settings shown instead of being opened', async () => {
  renderPage('/chat/1', { server: siteWith(framed, onDevice), as: people.user });
  await expect.poll(shown).toMatch(/Desk.*This is an application on your device.*https:\/\/gate\.example/);
});

test('a site without applications shows that', async () => {
  renderPage('/chat', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('没有配置聊天应用');
});

test('without a usable token there is a link to the tokens', async () => {
  const server = siteWith(framed)
    .answer(tokenApi.list, [tokenSample({ status: tokenStatus.disabled })])
    .answer(selfApi.get, userSample());
  renderPage('/chat', { server, as: people.user });
  await expect.poll(shown).toContain('You have no enabled key');
  await expect.poll(shown).toContain('Keys');
});

test('a key that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith(framed).fail(tokenApi.list);
  const user = renderPage('/chat', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(tokenApi.list, [tokenSample({ id: 5 })]);
  await tryAgain(user);
  expect((await screen.findByTitle('Lobby')).getAttribute('src')).toContain('sk-whole0key');
});

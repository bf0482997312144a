import { statusApi, tokenApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample, tokenSample } from '../../testing/samples.ts';

const siteWith = (...chats: Record<string, string>[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ chats }))
    .answer(tokenApi.list, [tokenSample({ id: 5 })])
    .answer(tokenApi.get, tokenSample({ id: 5, key: 'whole0key' }));

test('the browser is redirected to the first web address, with the key filled in', async () => {
  // jsdom follows only addresses within the document.
  const here = 'http://localhost:3000/chat2link#key={key}';
  renderPage('/chat2link', { server: siteWith({ Desk: 'desk://{key}' }, { Here: here }), as: people.user });
  await expect.poll(() => window.location.hash).toBe('#key=sk-whole0key');
});

test('it is redirected to web addresses only, not to an application of the device', async () => {
  renderPage('/chat2link', { server: siteWith({ Desk: 'desk://open?key={key}' }), as: people.user });
  await expect.poll(shown).toContain('There is no such chat application');
});

test('a site without applications shows that', async () => {
  renderPage('/chat2link', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('没有配置聊天应用');
});

test('a link whose host would be the key is not followed', async () => {
  renderPage('/chat2link', { server: siteWith({ Trap: 'https://{key}.example/' }), as: people.user });
  await expect.poll(shown).toContain('This chat link is not valid');
});

test('a key that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith({ Trap: 'https://{key}.example/' }).fail(tokenApi.list);
  const user = renderPage('/chat2link', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(tokenApi.list, [tokenSample({ id: 5 })]);
  await tryAgain(user);
  await expect.poll(shown).toContain('This chat link is not valid');
});

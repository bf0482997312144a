import { screen, within } from '@testing-library/react';
import { alarmApi, optionApi, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';

const pager = { id: 4, service: 'Telegram' as const, name: 'pager', host: '', receiver: '-100' };
const siteWith = (...places: (typeof pager)[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample())
    .answer(optionApi.list, { data: [], extra: { secrets_set: [] } })
    .answer(alarmApi.list, [])
    .answer(alarmApi.places, places);
const open = (server: FakeServer, language: 'en' | 'zh' = 'en') =>
  renderPage('/setting?tab=payments&q=AlarmMail', { server, as: people.root, language });

test('root adds a service with what it needs, tests all, and sees no secret', async () => {
  const server = siteWith().answer(alarmApi.addPlace, { id: 4 });
  const user = open(server);
  await user.click(await screen.findByRole('button', { name: 'Add a service' }));
  await user.click(screen.getByRole('combobox', { name: 'Service' }));
  await user.click(await screen.findByRole('option', { name: 'Telegram', hidden: true }));
  await user.type(screen.getByLabelText('Name (optional)'), 'pager');
  await user.type(screen.getByLabelText(/Signing secret or token/), 'hush');
  await user.type(screen.getByLabelText(/Telegram chat/), '-100');
  server.answer(alarmApi.places, [pager]);
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await expect.poll(shown).toContain('Telegram · -100');
  expect(shown()).not.toContain('hush');
  expect(server.inputs(alarmApi.addPlace)).toEqual([
    { service: 'Telegram', name: 'pager', address: '', secret: 'hush', receiver: '-100' },
  ]);
  server.answer(alarmApi.test, [{ way: '4', name: 'pager', failure: 'Telegram answered 403' }]);
  await user.click(screen.getByRole('button', { name: 'Send a test' }));
  await expect.poll(shown).toContain('pager: Telegram answered 403');
});

test('a refused service keeps the form with the reason, in Chinese', async () => {
  const user = open(siteWith().refuse(alarmApi.addPlace, '消息服务最多 20 个'), 'zh');
  await user.click(await screen.findByRole('button', { name: '添加消息服务' }));
  await user.type(screen.getByLabelText(/^地址/), 'https://hooks.example/x');
  await user.click(screen.getByRole('button', { name: '添加' }));
  await expect.poll(shown).toContain('消息服务最多 20 个');
});

test('a service is removed after a question; a list that fails to load can be loaded again', async () => {
  const server = siteWith(pager).fail(alarmApi.places).answer(alarmApi.removePlace, null);
  const user = open(server);
  await expect.poll(shown).toContain('Could not load');
  server.answer(alarmApi.places, [pager]);
  await tryAgain(user);
  await user.click(await screen.findByRole('button', { name: 'Remove pager' }));
  server.answer(alarmApi.places, []);
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }));
  await expect.poll(shown).toContain('No service yet.');
  expect(server.inputs(alarmApi.removePlace)).toEqual([{ id: 4 }]);
});

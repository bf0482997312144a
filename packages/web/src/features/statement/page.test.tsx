import { screen } from '@testing-library/react';
import {
  selfApi,
  type StatementData,
  statementApi,
  statusApi,
  teamStatementApi,
  walletApi,
} from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, statusSample, userSample } from '../../testing/samples.ts';

const statement = (given: Partial<StatementData> = {}): StatementData => ({
  holder: 'alice',
  month: '2026-11',
  time_zone: 'Asia/Shanghai',
  from: 1_793_462_400,
  to: 1_796_054_400,
  months: ['2026-11', '2026-10'],
  opening: 500_000,
  closing: 949_999,
  movements: [
    { kind: 'topup', amount: 500_000, count: 1 },
    { kind: 'expire', amount: -1, count: 1 },
  ],
  charged: 50_000,
  calls: 3,
  keys: [
    { token_id: 4, name: 'ci', amount: 45_000, count: 2 },
    { token_id: 0, name: '', amount: 5_000, count: 1 },
  ],
  models: [{ model: 'gpt-4o', amount: 40_000 }],
  unlogged: 10_000,
  mailed: false,
  ...given,
});
const site = (given?: Partial<StatementData>) => new FakeServer().answer(statementApi.own, statement(given));

test('the lines of a month add up as they are shown, and so do keys and models', async () => {
  renderPage('/statement', { server: site(), as: people.user });
  await expect
    .poll(shown)
    .toMatch(
      /Opening balance\$1\.000000Top-ups1\$1\.000000Expired credit1-\$0\.000002Calls3-\$0\.100000Balance now\$1\.899998/,
    );
  expect(shown()).toMatch(/ci2\$0\.090000Playground1\$0\.010000Total3\$0\.100000/);
  expect(shown()).toMatch(/gpt-4o\$0\.080000Not in the log\$0\.020000Total\$0\.100000/);
});

test('another month is loaded, and downloaded as files', async () => {
  const server = site();
  const user = renderPage('/statement?month=2026-10', { server, as: people.user });
  await expect
    .poll(() => server.inputs(statementApi.own))
    .toMatchObject([{ month: '2026-10', format: 'json' }]);
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }),
  );
  await user.click(await screen.findByRole('button', { name: 'Download CSV' }));
  await expect
    .poll(() => server.inputs(statementApi.own).at(-1))
    .toEqual({ month: '2026-11', format: 'csv' });
  await user.click(screen.getByRole('button', { name: 'Download PDF' }));
  await expect
    .poll(() => server.inputs(statementApi.own).at(-1))
    .toEqual({ month: '2026-11', format: 'pdf' });
});

test('signed receipts are downloaded where the site signs', async () => {
  const server = site().answer(statusApi.status, statusSample({ signed_receipts: true }));
  const user = renderPage('/statement', { server, as: people.user });
  const saved: Blob[] = [];
  const createObjectURL = (file: Blob) => `blob:${saved.push(file)}`;
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL, revokeObjectURL: () => undefined }));
  const button = await screen.findByRole('button', { name: 'Download signed receipts' });
  const receipts = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{}\n'));
        controller.close();
      },
    });
  server.file(statementApi.own, receipts, 'application/jsonl; charset=utf-8');
  await user.click(button);
  await expect.poll(() => saved.map(({ size }) => size)).toEqual([3]);
  expect(server.inputs(statementApi.own).at(-1)).toEqual({ month: '2026-11', format: 'jsonl' });
});

test('the mail of each month is turned on', async () => {
  const server = site().answer(statementApi.mail, null);
  const user = renderPage('/statement', { server, as: people.user });
  const box = await screen.findByRole('switch', { name: /Mail me this statement each month/ });
  server.answer(statementApi.own, statement({ mailed: true }));
  await user.click(box);
  await expect.poll(() => server.inputs(statementApi.mail)).toEqual([{ on: true }]);
  await expect
    .poll(() => box.getAttribute('checked') !== null || (box as HTMLInputElement).checked)
    .toBe(true);
});

test('of an organisation is read by its own call', async () => {
  const server = site().answer(teamStatementApi.month, statement({ holder: 'Research' }));
  renderPage('/statement?team=4', { server, as: people.user });
  await expect.poll(shown).toContain('Research');
  expect(server.inputs(teamStatementApi.month)).toMatchObject([{ id: 4, month: '' }]);
});

test('of a user is read by its own call', async () => {
  const server = site().answer(statementApi.ofUser, statement({ holder: 'bob' }));
  renderPage('/statement?user=9', { server, as: people.admin });
  await expect.poll(shown).toContain('bob');
  expect(server.inputs(statementApi.ofUser)).toMatchObject([{ id: 9, month: '' }]);
});

test('of a month without calls says so, in Chinese', async () => {
  const server = site({ keys: [], models: [], unlogged: 0, charged: 0, calls: 0 });
  renderPage('/statement', { server, as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('这个月没有收费的调用。');
  expect(shown()).toContain('期初余额');
});

test('that fails to load can be loaded again', async () => {
  const server = new FakeServer().fail(statementApi.own);
  const user = renderPage('/statement', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(statementApi.own, statement());
  await tryAgain(user);
  await expect.poll(shown).toContain('Opening balance');
});

test('the wallet leads to it', async () => {
  const server = site().answer(selfApi.get, userSample()).answer(walletApi.orders, pageWith());
  const user = renderPage('/topup', { server, as: people.user });
  await user.click(await screen.findByRole('link', { name: 'Statements' }));
  await expect.poll(shown).toContain('Opening balance');
});

import { screen, within } from '@testing-library/react';
import { walletApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { pageWith, people } from '../../testing/samples.ts';
import { orderSample } from '../../testing/usage-samples.ts';

test('administrators find the orders of all users, and complete one that was paid and never reported', async () => {
  const open = { ...orderSample({ trade_no: 'ORDER-9', status: 'pending' }), username: 'ann' };
  const server = new FakeServer()
    .answer(walletApi.allOrders, pageWith(open, { ...orderSample({ id: 2 }), username: 'bob' }))
    .answer(walletApi.complete, null);
  const user = renderPage('/top-ups', { server, as: people.admin });
  const row = await screen.findByRole('row', { name: /ORDER-9/ });
  expect(row.textContent).toMatch(/ann.*\$10\.00.*¥73\.00.*Pending/);
  expect(screen.getAllByRole('button', { name: 'Complete' })).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Complete' }));
  const question = await screen.findByRole('dialog', { name: 'Complete the order of ann by hand?' });
  expect(question.textContent).toContain('¥73.00');
  expect(question.textContent).toContain('$10.00');
  await user.click(within(question).getByRole('button', { name: 'Complete' }));
  await expect.poll(() => server.inputs(walletApi.complete)).toEqual([{ trade_no: 'ORDER-9' }]);
  await expect.poll(() => server.inputs(walletApi.allOrders).length).toBeGreaterThan(1);
});

test('a site without orders says when there will be some', async () => {
  const server = new FakeServer().answer(walletApi.allOrders, pageWith());
  renderPage('/top-ups', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('开启在线充值后，用户的订单会列在这里。');
});

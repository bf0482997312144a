import { screen, within } from '@testing-library/react';
import { grantApi, walletApi } from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { pageWith, people } from '../../testing/samples.ts';
import { invoiceSample, orderSample } from '../../testing/usage-samples.ts';

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

test('root refunds what is left of a top-up with a reason, and is reminded to pay back by hand', async () => {
  const paid = { ...orderSample({ trade_no: 'ORDER-9', status: 'success' }), username: 'ann' };
  const server = new FakeServer()
    .answer(walletApi.allOrders, pageWith(paid))
    .answer(walletApi.refund, { quota: 2_500_000, money: 36.5 });
  const user = renderPage('/top-ups', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Refund' }));
  const dialog = await screen.findByRole('dialog', { name: 'Refund the top-up of ann?' });
  expect(dialog.textContent).toContain('pay it back at your payment provider');
  await user.click(within(dialog).getByRole('button', { name: 'Refund' }));
  expect(dialog.textContent).toContain('Please enter a reason');
  await user.type(within(dialog).getByRole('textbox', { name: /Reason/ }), 'wrong amount');
  await user.click(within(dialog).getByRole('button', { name: 'Refund' }));
  await expect
    .poll(() => server.inputs(walletApi.refund))
    .toEqual([{ trade_no: 'ORDER-9', reason: 'wrong amount' }]);
  await screen.findByText('$5.00 taken back; now pay back ¥36.50 at the payment provider');
});

test('administrators download the invoice of any order', async () => {
  const order = { ...orderSample({ trade_no: 'ORDER-9', invoice: '2026-000001' }), username: '' };
  const server = new FakeServer()
    .answer(walletApi.allOrders, pageWith(order))
    .answer(walletApi.anyInvoice, invoiceSample);
  const user = renderPage('/top-ups', { server, as: people.admin });
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }),
  );
  await user.click(await screen.findByRole('button', { name: 'Download invoice 2026-000001' }));
  await expect
    .poll(() => server.inputs(walletApi.anyInvoice))
    .toEqual([{ trade_no: 'ORDER-9', kind: 'invoice', format: 'pdf' }]);
});

test('administrators see neither refunds nor what the site owes', async () => {
  const paid = { ...orderSample({ trade_no: 'ORDER-9', status: 'success' }), username: 'ann' };
  renderPage('/top-ups', {
    server: new FakeServer().answer(walletApi.allOrders, pageWith(paid)),
    as: people.admin,
  });
  await screen.findByRole('row', { name: /ORDER-9/ });
  expect(screen.queryByRole('button', { name: 'Refund' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Owed credit' })).toBeNull();
});

test('root sees what the site owes, by source', async () => {
  const row = {
    source: 'topup',
    left: 500_000,
    bought: 500_000,
    given: 0,
    paid: 7.3,
    refundable: 500_000,
    expiring: 0,
  };
  const server = new FakeServer()
    .answer(walletApi.allOrders, pageWith())
    .answer(grantApi.liabilities, { rows: [row], balance: 500_000, wallets: 1 });
  const user = renderPage('/top-ups', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Owed credit' }));
  const dialog = await screen.findByRole('dialog', { name: 'Credit that the site owes its users' });
  await expect.poll(() => dialog.textContent).toMatch(/Top-up.*\$1\.00.*¥7\.30/);
  await expect.poll(() => dialog.textContent).toContain('$1.00 in total, which is the sum of all balances');
});

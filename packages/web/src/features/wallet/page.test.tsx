import { screen, within } from '@testing-library/react';
import { autoTopUpApi, grantApi, planApi, selfApi, statusApi, walletApi } from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, statusSample, userSample } from '../../testing/samples.ts';
import {
  invoiceSample,
  noAutoTopUp,
  orderSample,
  planSample,
  subscriptionSample,
} from '../../testing/usage-samples.ts';

const site = () => new FakeServer().answer(selfApi.get, userSample()).answer(walletApi.orders, pageWith());
const paysOnline = statusSample({ enable_online_topup: true });

test('the balance and the orders of the user are shown', async () => {
  const server = site().answer(walletApi.orders, pageWith(orderSample({ trade_no: 'ORDER-7' })));
  renderPage('/topup', { server, as: people.user });
  await expect.poll(shown).toMatch(/Balance.*\$10\.00.*Spent so far.*\$2\.50/);
  expect((await screen.findByRole('row', { name: /ORDER-7/ })).textContent).toMatch(
    /\$10\.00.*¥73\.00.*Credited/,
  );
});

test('what organisations paid for one’s calls is not shown as one’s own money', async () => {
  const server = site().answer(selfApi.get, userSample({ used_quota: 1_000_000, team_used_quota: 250_000 }));
  renderPage('/topup', { server, as: people.user });
  await expect.poll(shown).toMatch(/Spent so far.*\$2\.00.*Also paid by organisations.*\$0\.50/);
});

test('missing orders and disabled online payment are both shown', async () => {
  renderPage('/topup', { server: site(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('还没有充值记录');
  await expect.poll(shown).toContain('管理员未开启在线充值！');
});

test('orders that fail to load show an error and can be loaded again', async () => {
  const server = site().fail(walletApi.orders);
  const user = renderPage('/topup', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(walletApi.orders, pageWith(orderSample({ trade_no: 'ORDER-8' })));
  await tryAgain(user);
  await expect.poll(shown).toContain('ORDER-8');
});

test('a code is redeemed, and the balance is loaded again', async () => {
  const server = site().answer(walletApi.redeem, 500_000);
  const user = renderPage('/topup', { server, as: people.user });
  await expect.poll(shown).toContain('$10.00');
  server.answer(selfApi.get, userSample({ quota: 5_500_000 }));
  await user.type(screen.getByRole('textbox', { name: 'Redemption code' }), ' c0de {Enter}');
  await expect.poll(shown).toContain('$11.00');
  expect((await screen.findByText('Redeemed: $1.00')).textContent).toBe('Redeemed: $1.00');
  expect(server.inputs(walletApi.redeem)).toEqual([{ key: 'c0de' }]);
});

test('a refusal of a code is shown beside its field', async () => {
  const server = site().refuse(walletApi.redeem, 'This code was used before');
  const user = renderPage('/topup', { server, as: people.user });
  await user.type(await screen.findByRole('textbox', { name: 'Redemption code' }), 'c0de{Enter}');
  await expect.poll(shown).toContain('This code was used before');
});

test('an amount whose price is refused says why at its field', async () => {
  const server = site().answer(statusApi.status, paysOnline).refuse(walletApi.amount, 'Too much at once');
  renderPage('/topup', { server, as: people.user });
  const field = await screen.findByRole('textbox', { name: 'Amount' });
  await screen.findByText('Too much at once');
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('what an amount costs is asked before it is paid', async () => {
  const server = site().answer(statusApi.status, paysOnline).answer(walletApi.amount, '146.00');
  const user = renderPage('/topup', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: '$20' }));
  await expect.poll(shown).toContain('¥146.00');
  await expect.poll(() => server.inputs(walletApi.amount).at(-1)).toMatchObject({ amount: 20 });
});

test('the invoice and the credit note of an order are downloaded', async () => {
  const order = orderSample({ trade_no: 'ORDER-7', invoice: '2026-000001', credit_note: '2026-C000001' });
  const server = site()
    .answer(walletApi.orders, pageWith(order, orderSample({ id: 2, trade_no: 'ORDER-8' })))
    .answer(walletApi.invoice, invoiceSample);
  const user = renderPage('/topup', { server, as: people.user });
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }),
  );
  await user.click(await screen.findByRole('button', { name: 'Download invoice 2026-000001' }));
  await expect
    .poll(() => server.inputs(walletApi.invoice))
    .toEqual([{ trade_no: 'ORDER-7', kind: 'invoice', format: 'pdf' }]);
  await user.click(screen.getByRole('button', { name: 'Download credit note 2026-C000001' }));
  await expect
    .poll(() => server.inputs(walletApi.invoice).at(-1))
    .toEqual({ trade_no: 'ORDER-7', kind: 'credit_note', format: 'pdf' });
  expect(screen.getAllByRole('button', { name: /Download/ })).toHaveLength(2);
});

test('a site without invoices has no column for them', async () => {
  const server = site().answer(walletApi.orders, pageWith(orderSample({ trade_no: 'ORDER-7' })));
  renderPage('/topup', { server, as: people.user });
  await screen.findByRole('row', { name: /ORDER-7/ });
  expect(screen.queryByRole('columnheader', { name: 'Invoice' })).toBeNull();
});

test('a refunded order says how much was taken back', async () => {
  const order = orderSample({ trade_no: 'ORDER-7', status: 'refunded', refunded: 2_500_000 });
  renderPage('/topup', { server: site().answer(walletApi.orders, pageWith(order)), as: people.user });
  expect((await screen.findByRole('row', { name: /ORDER-7/ })).textContent).toContain('$5.00 refunded');
});

test('each part of the balance with an end has a line, with what is left, its source and its end', async () => {
  const end = Math.floor(Date.UTC(2099, 11, 3, 12) / 1_000);
  const grant = { id: 1, amount: 5_000_000, paid: 0, refundable: false, created_time: 1 };
  const server = site().answer(grantApi.own, {
    balance: 5_000_000,
    grants: [
      { ...grant, source: 'redeem', left: 2_500_000, expires_time: end },
      { ...grant, id: 2, source: 'admin', left: 500_000, expires_time: 1 },
      { ...grant, id: 3, source: 'topup', left: 2_000_000, expires_time: 0 },
    ],
  });
  renderPage('/topup', { server, as: people.user });
  await expect.poll(shown).toMatch(/\$5\.00 of it until 2099-12-03 \d\d:\d\d \(Code\)/);
  expect(shown().match(/of it until/g)).toHaveLength(1);
});

test('a plan is subscribed to from the balance after a question, and its renewal is cancelled and kept', async () => {
  const { hidden: _hidden, subscribers: _subscribers, ...plan } = planSample();
  const server = site()
    .answer(planApi.offers, { plans: [{ ...plan, budget: 2_500_000 }], subscriptions: [] })
    .answer(planApi.subscribe, { pay_link: '' })
    .answer(planApi.renew, null);
  const user = renderPage('/topup', { server, as: people.user });
  await expect
    .poll(shown)
    .toMatch(
      /Pro.*\$20\.00 \(card\) or \$25\.00 \(balance\) a month.*\$30\.00 of credit each month.*group vip · at most \$5\.00 a day/,
    );
  expect(screen.queryByRole('button', { name: 'Subscribe by card' })).toBeNull();
  server.answer(planApi.offers, { plans: [plan], subscriptions: [subscriptionSample()] });
  await user.click(screen.getByRole('button', { name: 'Subscribe from the balance' }));
  const question = await screen.findByRole('dialog', { name: /Subscribe to/ });
  expect(question.textContent).toContain('$25.00 is taken from the balance now');
  await user.click(within(question).getByRole('button', { name: 'Subscribe from the balance' }));
  await expect.poll(shown).toMatch(/Pro\$20\.00 \(card\) a month · .*Renews on/);
  expect(shown()).not.toContain('$25.00 (balance)');
  expect(server.inputs(planApi.subscribe)).toEqual([{ plan: 3, pay: 'balance' }]);
  server.answer(planApi.offers, { plans: [plan], subscriptions: [subscriptionSample({ renews: false })] });
  await user.click(screen.getByRole('button', { name: 'Stop renewing' }));
  const stop = await screen.findByRole('dialog', { name: /End “Pro”/ });
  await user.click(within(stop).getByRole('button', { name: 'Stop renewing' }));
  await expect.poll(shown).toContain('Ends on');
  expect(shown()).not.toContain('a month ·');
  server.answer(planApi.offers, { plans: [plan], subscriptions: [subscriptionSample({ state: 'overdue' })] });
  await user.click(screen.getByRole('button', { name: 'Keep it' }));
  await expect.poll(shown).toContain('The payment failed');
  expect(server.inputs(planApi.renew)).toEqual([
    { id: 7, renews: false },
    { id: 7, renews: true },
  ]);
});

test('plans that fail to load can be loaded again', async () => {
  const server = site().fail(planApi.offers);
  const user = renderPage('/topup', { server, as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('无法加载');
  const {
    hidden: _hidden,
    subscribers: _subscribers,
    ...plan
  } = planSample({ period: 'year', budget: 500_000, budget_period: 'week' });
  server.answer(planApi.offers, { plans: [plan], subscriptions: [] });
  await tryAgain(user);
  await expect.poll(shown).toMatch(/专业版每年 \$20\.00（银行卡）或 \$25\.00（余额） · .*每周最多用 \$1\.00/);
});

test('automatic top-up is set, shows why it stopped, and ends with its card', async () => {
  const card = { ...noAutoTopUp, available: true, card: 'visa 4242', problem: 'declined', charged: 40 };
  const server = site()
    .answer(autoTopUpApi.get, card)
    .answer(autoTopUpApi.set, null)
    .answer(autoTopUpApi.removeCard, null);
  const user = renderPage('/topup', { server, as: people.user });
  await expect
    .poll(shown)
    .toMatch(/visa 4242.*The last charge was declined.*Use another card.*\$40 this month so far/);
  const amount = screen.getByLabelText('Top up ($)');
  await user.clear(amount);
  await user.type(amount, '30');
  await user.click(screen.getByRole('switch', { name: 'Top up automatically' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => server.inputs(autoTopUpApi.set))
    .toEqual([{ enabled: true, below: 5, amount: 30, month_limit: 100 }]);
  await user.click(screen.getByRole('button', { name: 'Remove the card' }));
  const question = await screen.findByRole('dialog', { name: 'Remove visa 4242?' });
  server.answer(autoTopUpApi.get, { ...noAutoTopUp, available: true });
  await user.click(within(question).getByRole('button', { name: 'Remove the card' }));
  await expect.poll(shown).toMatch(/No card is saved yet.*Save a card/);
});

test('automatic top-up that fails to load can be loaded again', async () => {
  const server = site().fail(autoTopUpApi.get);
  const user = renderPage('/topup', { server, as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('无法加载');
  server.answer(autoTopUpApi.get, { ...noAutoTopUp, available: true });
  await tryAgain(user);
  await expect.poll(shown).toContain('还没有保存银行卡');
});

import { screen, within } from '@testing-library/react';
import { groupApi, planApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people } from '../../testing/samples.ts';
import { planSample, subscriptionSample } from '../../testing/usage-samples.ts';

const site = () =>
  new FakeServer()
    .answer(groupApi.list, ['default', 'vip'])
    .answer(planApi.list, [planSample()])
    .answer(planApi.subscriptions, pageWith());

test('plans are listed with their prices, and subscriptions with their state', async () => {
  const row = { ...subscriptionSample({ renews: false }), user_id: 2, username: 'ann' };
  const server = site()
    .answer(planApi.list, [planSample({ budget: 2_500_000 })])
    .answer(planApi.subscriptions, pageWith(row));
  renderPage('/plans', { server, as: people.root });
  expect((await screen.findByRole('row', { name: /Pro.*Monthly/ })).textContent).toMatch(
    /\$30\.00.*\$20\.00.*\$25\.00.*vip.*\$5\.00 per day/,
  );
  expect((await screen.findByRole('row', { name: /ann/ })).textContent).toMatch(/Pro.*Ends with the period/);
});

test('a plan is created from the form', async () => {
  const server = site().answer(planApi.create, planSample());
  const user = renderPage('/plans?edit=new', { server, as: people.root });
  const form = await screen.findByRole('dialog', { name: 'Create a plan' });
  await user.type(within(form).getByLabelText('Name in Chinese'), '专业版');
  await user.type(within(form).getByLabelText('Name in English'), 'Pro');
  await user.click(within(form).getByRole('button', { name: 'Create' }));
  await expect.poll(() => form.textContent).toContain('It needs at least one price');
  const balance = within(form).getByLabelText(/^Price from the balance/);
  await user.type(balance, '25');
  await expect.poll(() => form.textContent).not.toContain('It needs at least one price');
  await user.clear(balance);
  await user.type(balance, '0');
  await user.clear(within(form).getByLabelText(/^Price at Stripe/));
  await user.type(within(form).getByLabelText(/^Price at Stripe/), '19.90');
  await user.clear(within(form).getByLabelText(/^Budget while/));
  await user.type(within(form).getByLabelText(/^Budget while/), '5');
  expect(form.textContent).toContain('Calls beyond it are refused');
  await user.click(within(form).getByRole('button', { name: 'Create' }));
  await expect
    .poll(() => server.inputs(planApi.create))
    .toEqual([
      {
        name_zh: '专业版',
        name_en: 'Pro',
        period: 'month',
        quota: 5_000_000,
        price: 19.9,
        balance_price: 0,
        user_group: '',
        budget: 2_500_000,
        budget_period: 'day',
        hidden: false,
      },
    ]);
});

test('a subscription is ended after a question, and a plan is given', async () => {
  const row = { ...subscriptionSample(), user_id: 2, username: 'ann' };
  const server = site()
    .answer(planApi.subscriptions, pageWith(row))
    .answer(planApi.end, null)
    .answer(planApi.gift, null);
  const user = renderPage('/plans', { server, as: people.root });
  await user.click(
    within(await screen.findByRole('row', { name: /ann/ })).getByRole('button', { name: 'End' }),
  );
  const question = await screen.findByRole('dialog', { name: 'End the plan of ann now?' });
  await user.click(within(question).getByRole('button', { name: 'End' }));
  await expect.poll(() => server.inputs(planApi.end)).toEqual([{ id: 7 }]);
  await user.click(screen.getByRole('button', { name: 'Give' }));
  const giving = await screen.findByRole('dialog', { name: /Give one period/ });
  await expect.poll(() => document.activeElement).toBe(within(giving).getByLabelText('User id'));
  await user.keyboard('2');
  await user.click(within(giving).getByRole('button', { name: 'Give' }));
  await expect.poll(() => server.inputs(planApi.gift)).toEqual([{ plan: 3, user_id: 2 }]);
});

test('a site without plans offers to add one, and lists that fail can be loaded again', async () => {
  const server = site().answer(planApi.list, []).fail(planApi.subscriptions);
  const user = renderPage('/plans', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('还没有套餐');
  server.answer(planApi.subscriptions, pageWith());
  await tryAgain(user);
  await expect.poll(shown).toContain('还没有订阅');
});

import { fireEvent, screen, within } from '@testing-library/react';
import {
  channelApi,
  channelHealthApi,
  costApi,
  groupApi,
  marginApi,
  modelApi,
  pricesApi,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { channelSample, channelTypeSample, people, priceTablesSample } from '../../../testing/samples.ts';

const channel = channelSample({ id: 3 });
const siteOf = () =>
  new FakeServer()
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(channelApi.list, { data: [channel], extra: { total: 1 } })
    .answer(channelApi.get, channel)
    .answer(channelApi.types, [channelTypeSample()])
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(groupApi.list, ['default'])
    .answer(modelApi.byType, { 1: ['gpt-4o'] })
    .answer(channelApi.models, [])
    .answer(pricesApi.list, priceTablesSample())
    .answer(costApi.get, { factor: 0.8, models: { 'gpt-4o': { input: 2.5, output: 10 } }, reported: false })
    .answer(costApi.save, { below_cost: ['gpt-4o'] })
    .answer(marginApi.belowCost, []);

test('root reads and saves the cost prices of a channel, and sees which models sell below cost', async () => {
  const server = siteOf();
  const user = renderPage('/channel?edit=3', { server, as: people.root });
  const form = within(await screen.findByRole('dialog'));
  await form.findByRole('button', { name: /^Cost/ });
  expect(server.inputs(costApi.get)).toEqual([]);
  await user.click(form.getByRole('button', { name: /^Cost/ }));
  const factor = await form.findByLabelText(/List price factor/);
  fireEvent.change(factor, { target: { value: '1.2' } });
  await user.click(form.getByLabelText(/Use the cost the vendor reports/));
  expect(form.queryByText(/sell below cost/)).toBeNull();
  server.answer(marginApi.belowCost, [{ channel: 3, name: 'main', models: ['gpt-4o'], groups: ['vip'] }]);
  await user.click(form.getByRole('button', { name: 'Save cost prices' }));
  await form.findByText(/These models sell below cost: gpt-4o/);
  expect(server.inputs(costApi.save)).toEqual([
    { id: 3, factor: 1.2, models: { 'gpt-4o': { input: 2.5, output: 10 } }, reported: true },
  ]);
});

test('administrators do not see it', async () => {
  const server = siteOf();
  renderPage('/channel?edit=3', { server, as: people.admin });
  const form = within(await screen.findByRole('dialog'));
  await form.findByRole('button', { name: /^Routing/ });
  expect(form.queryByRole('button', { name: /^Cost/ })).toBeNull();
  expect(server.inputs(costApi.get)).toEqual([]);
});

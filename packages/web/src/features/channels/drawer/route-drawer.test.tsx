import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import {
  channelApi,
  channelHealthApi,
  groupApi,
  type RouteExplanation,
  routingApi,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { channelTypeSample, people } from '../../../testing/samples.ts';

const site = () =>
  new FakeServer()
    .answer(channelApi.list, { data: [], extra: { total: 0 } })
    .answer(channelApi.search, [])
    .answer(channelApi.types, [channelTypeSample()])
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(groupApi.list, ['default']);

const inDrawer = () => screen.getByRole('dialog').textContent;

const main = {
  channel: 1,
  name: 'main',
  priority: 5,
  weight: 0,
  odds: 0.75,
  reason: null,
  until: 0,
};
const explained: RouteExplanation = {
  group: 'default',
  refusal: '',
  steps: [
    {
      model: 'gpt-4o',
      policy: 'cheapest',
      serves: true,
      channels: [
        main,
        {
          ...main,
          channel: 2,
          name: 'spare',
          odds: 0,
          reason: 'cooldown',
          until: 1_764_288_000,
        },
        {
          ...main,
          channel: 3,
          name: 'new',
          odds: 0,
          reason: 'unpriced',
        },
      ],
    },
  ],
};

test.each([
  ['en', 'Why this channel?', 'Explain', /main #1.*75\.0%.*In.*spare #2.*cooling down.*new #3.*no price/],
  ['zh', '为什么是这个渠道？', '说明', /main #1.*75\.0%.*可用.*spare #2.*冷却中.*new #3.*没有价格/],
] as const)('administrators see who gets a call and why, in %s', async (language, title, explain, words) => {
  const server = site().answer(routingApi.explain, explained);
  renderPage('/channel?model=gpt-4o', { server, as: people.admin, language });
  await userEvent.click(await screen.findByRole('button', { name: title }));
  await userEvent.click(await screen.findByRole('button', { name: explain }));
  await expect.poll(inDrawer).toMatch(words);
});

test('a refused call says why', async () => {
  const server = site().answer(routingApi.explain, { group: 'vip', refusal: 'No permission', steps: [] });
  renderPage('/channel?why=true&model=gpt-4o', { server, as: people.admin });
  await userEvent.click(await screen.findByRole('button', { name: 'Explain' }));
  await expect.poll(inDrawer).toContain('The call is refused: No permission');
});

import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import {
  channelApi,
  channelHealthApi,
  groupApi,
  type PastRoute,
  type ReplayData,
  type ReplayFigures,
  type ReplayOutcome,
  type RouteExplanation,
  routingApi,
  trafficApi,
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

const past: PastRoute = {
  from: 1_764_287_700,
  to: 1_764_288_360,
  channels: [
    {
      channel: 1,
      name: 'main',
      succeeded: 8,
      failed: 2,
      failures: { limited: 2 },
      wait: 640,
      minutes: [{ at: 1_764_288_000, succeeded: 8, failed: 2 }],
      in_group: true,
    },
    {
      channel: 9,
      name: 'old',
      succeeded: 1,
      failed: 0,
      failures: {},
      wait: null,
      minutes: [{ at: 1_764_288_000, succeeded: 1, failed: 0 }],
      in_group: false,
    },
  ],
  changes: [{ at: 1_764_288_100, kind: 'channel.update', target: 'main', fields: ['priority'] }],
};

test('a past moment shows the channels that were tried then, and the changes since', async () => {
  const server = site().answer(trafficApi.past, past);
  const user = userEvent.setup();
  renderPage('/channel?why=true&model=gpt-4o', { server, as: people.admin });
  await user.click(await screen.findByRole('tab', { name: 'Past moment' }));
  await user.click(await screen.findByRole('button', { name: 'Show' }));
  await expect.poll(inDrawer).toMatch(/main #1rate limit 282640 ms/);
  expect(inDrawer()).toMatch(/old #9does not offer the model in the group now/);
  expect(inDrawer()).toMatch(/Changes since then.*Channel edited · main \(priority\)/);
  expect(server.inputs(trafficApi.past)).toMatchObject([{ model: 'gpt-4o', group: 'default' }]);
  server.answer(trafficApi.past, { ...past, channels: [], changes: [] });
  await user.clear(screen.getByRole('textbox', { name: 'Minutes ago' }));
  await user.type(screen.getByRole('textbox', { name: 'Minutes ago' }), '90');
  await user.click(screen.getByRole('button', { name: 'Show' }));
  await expect.poll(inDrawer).toContain('No channel was tried for the model then.');
});

const figures: ReplayFigures = { success: 0.98, wait: 800, charge: 900_000, cost: 600_000, margin: 300_000 };
const sides = {
  actual: figures,
  present: figures,
  changed: { ...figures, success: 0.9, cost: null, margin: null },
};
const outcome: ReplayOutcome = {
  from: 0,
  to: 86_400,
  total: 40_000,
  replayed: 20_000,
  guessed: 0.25,
  uncosted: 3,
  whole: sides,
  rows: [{ model: 'gpt-4o', group: 'default', calls: 20_000, ...sides }],
  channels: [{ channel: 1, name: 'main', actual: 12_000, present: 11_999.6, changed: 0 }],
};

test('a replay shows its progress and then the figures beside what they were', async () => {
  const running: ReplayData = { id: 'r1', state: 'running', progress: 0.4, outcome: null };
  const server = site()
    .answer(trafficApi.start, { id: 'r1' })
    .answer(trafficApi.get, running)
    .answer(trafficApi.stop, null);
  const user = userEvent.setup();
  renderPage('/channel?why=true', { server, as: people.admin });
  await user.click(await screen.findByRole('tab', { name: 'Replay' }));
  await user.type(await screen.findByRole('textbox', { name: 'Without channel id (optional)' }), '1');
  await user.click(screen.getByRole('button', { name: 'Replay' }));
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('40');
  expect(server.inputs(trafficApi.start)).toMatchObject([{ hours: 24, without: 1, policy: '' }]);
  server.answer(trafficApi.get, { ...running, state: 'done', progress: 1, outcome });
  await expect.poll(inDrawer).toContain('20,000 of 40,000 calls were replayed.');
  expect(inDrawer()).toContain('25.0% of the calls go to channels without a record');
  expect(inDrawer()).toMatch(/Success98\.00%98\.00%90\.00%First token800 ms800 ms800 msCharges\$1\.80/);
  expect(inDrawer()).toMatch(/main #112,00012,0000/);
});

test('a replay that runs can be stopped, and one that fails says so in Chinese', async () => {
  const server = site()
    .answer(trafficApi.start, { id: 'r2' })
    .answer(trafficApi.get, { id: 'r2', state: 'running', progress: 0, outcome: null })
    .answer(trafficApi.stop, null);
  const user = userEvent.setup();
  renderPage('/channel?why=true', { server, as: people.admin, language: 'zh' });
  await user.click(await screen.findByRole('tab', { name: '重放' }));
  await user.click(await screen.findByRole('button', { name: '重放' }));
  await user.click(await screen.findByRole('button', { name: '停止' }));
  await expect.poll(() => server.inputs(trafficApi.stop)).toEqual([{ replay: 'r2' }]);
  server.answer(trafficApi.get, { id: 'r2', state: 'failed', progress: 0, outcome: null });
  await user.click(screen.getByRole('button', { name: '重放' }));
  await expect.poll(inDrawer).toContain('重放没有完成');
});

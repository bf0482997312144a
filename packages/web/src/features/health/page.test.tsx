import { screen } from '@testing-library/react';
import { channelHealthApi, type ChannelHealthRow } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const sample: ChannelHealthRow = {
  channel: 3,
  name: 'main',
  key: '',
  model: '',
  tries: 1_000,
  failed: 20,
  failures: { limited: 15, key_refused: 0, timed_out: 5, unreachable: 0, broken_off: 0, server_error: 0 },
  first_p50: 300,
  first_p95: 1_200,
  whole_p50: 2_000,
  whole_p95: 9_000,
  tokens_per_second: 41.5,
  series: [
    { tries: 0, failed: 0 },
    { tries: 1_000, failed: 20 },
  ],
};

test.each([
  ['en', /98\.0%.*1,000.*rate limit 15 · timeout 5.*300 ms \/ 1\.20 s/, 'Success: No calls, 98.0%'],
  ['zh', /98\.0%.*1,000.*限速 15 · 超时 5.*300 ms \/ 1\.20 s/, '成功率：没有调用, 98.0%'],
] as const)(
  'a channel shows its success, failures by kind and times, in %s',
  async (language, words, course) => {
    const server = new FakeServer().answer(channelHealthApi.report, { since: 0, step: 300, rows: [sample] });
    renderPage('/channel-health', { server, as: people.admin, language });
    const row = await screen.findByRole('row', { name: /main/ });
    expect(row.textContent).toMatch(words);
    expect(await screen.findByRole('img', { name: course })).toBeDefined();
  },
);

test('an hour without a call says so', async () => {
  const server = new FakeServer().answer(channelHealthApi.report, { since: 0, step: 300, rows: [] });
  renderPage('/channel-health', { server, as: people.admin, language: 'zh' });
  await expect.poll(shown).toContain('这段时间没有调用');
});

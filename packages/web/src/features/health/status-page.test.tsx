import { channelHealthApi, type SiteHealth, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { statusSample } from '../../testing/samples.ts';

const site: SiteHealth = {
  since: 0,
  models: [{ model: 'gpt-4o', state: 'degraded', success_rate: 0.9, first_p50: 700, series: [1, null, 0.8] }],
};

test.each([
  ['en', /gpt-4oDegraded.*90\.0% succeeded · first token 700 ms/],
  ['zh', /gpt-4o部分失败.*成功 90\.0% · 首字 700 ms/],
] as const)('guests see how models fare where the site shows it, in %s', async (language, words) => {
  const server = new FakeServer()
    .answer(statusApi.status, statusSample({ status_page: true }))
    .answer(channelHealthApi.site, site);
  renderPage('/status', { server, as: null, language });
  await expect.poll(shown).toMatch(words);
});

test('a site without a status page says so, and asks for nothing', async () => {
  renderPage('/status', { server: new FakeServer(), as: null });
  await expect.poll(shown).toContain('This site has no public status page');
});

test('a site without calls says so', async () => {
  const server = new FakeServer()
    .answer(statusApi.status, statusSample({ status_page: true }))
    .answer(channelHealthApi.site, { since: 0, models: [] });
  renderPage('/status', { server, as: null, language: 'zh' });
  await expect.poll(shown).toContain('过去 24 小时没有调用');
});

test('a status that does not come can be asked for again', async () => {
  const server = new FakeServer()
    .answer(statusApi.status, statusSample({ status_page: true }))
    .fail(channelHealthApi.site);
  renderPage('/status', { server, as: null });
  await expect.poll(shown).toContain('Could not load');
  expect(shown()).toContain('Try again');
});

import { screen, within } from '@testing-library/react';
import { drawingApi, statusApi, type DrawingData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';
import { drawingSample } from '../../testing/task-samples.ts';

const answerOf = (...data: DrawingData[]) => ({ data, extra: { total: data.length, exact: true } });
const siteWith = (...rows: DrawingData[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ enable_drawing: true }))
    .answer(drawingApi.ownList, answerOf(...rows))
    .answer(drawingApi.list, answerOf(...rows));
const readRow = (name: RegExp) => screen.findByRole('row', { name });

test('a drawing is listed with its state, its duration in seconds, and its cost', async () => {
  renderPage('/midjourney', { server: siteWith(drawingSample()), as: people.user });
  const row = await readRow(/a cat/);
  expect(row.textContent).toMatch(/42 s.*Imagine.*Submitted.*Done.*100%.*\$0\.10.*a cat.*one cat/);
  expect(within(row).queryByRole('button', { name: /Channel ID/ })).toBeNull();
});

test('the last thirty days are loaded, in milliseconds', async () => {
  const server = siteWith(drawingSample());
  renderPage('/midjourney', { server, as: people.user });
  await readRow(/a cat/);
  const from = server.inputs(drawingApi.ownList).at(-1)?.start_timestamp ?? 0;
  const days = (Date.now() - from) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(30);
  expect(days).toBeLessThan(31);
});

test('administrators see channel and user, search by channel, and see that callbacks are off', async () => {
  const server = siteWith(drawingSample({ username: 'eve' }));
  const user = renderPage('/midjourney', { server, as: people.admin });
  const row = await readRow(/eve/);
  expect(within(row).getByRole('button', { name: 'Channel ID 3' }).textContent).toBe('3');
  await expect.poll(shown).toContain('Midjourney callbacks are not enabled');
  await user.type(screen.getByRole('textbox', { name: 'Channel ID' }), '3{Enter}');
  await expect.poll(() => server.inputs(drawingApi.list).at(-1)?.channel_id).toBe(3);
  expect(server.inputs(drawingApi.ownList)).toEqual([]);
});

test('users who may not change it, and everyone while they are on, see nothing about callbacks', async () => {
  renderPage('/midjourney', { server: siteWith(drawingSample()), as: people.user });
  await readRow(/a cat/);
  expect(shown()).not.toContain('callbacks');
});

test('a picture opens over the list, from this site, and is in the address', async () => {
  const user = renderPage('/midjourney', { server: siteWith(drawingSample()), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'View' }));
  const dialog = await screen.findByRole('dialog', { name: 'Imagine' });
  const picture = await within(dialog).findByRole('img', { name: 'a cat' });
  expect(picture.getAttribute('src')).toBe('/mj/image/task_0001');
  expect(window.location.search).toContain('open=task_0001');
  const download = within(dialog).getByRole('link', { name: 'Download' });
  expect(download.getAttribute('href')).toBe('/mj/image/task_0001');
  expect(within(dialog).getByRole('link', { name: 'Show the call' }).getAttribute('href')).toMatch(
    /^\/log\?.*request=req-1/,
  );
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await expect.poll(() => window.location.search).not.toContain('open');
});

test('progress updates while a drawing is open', async () => {
  const open = drawingSample({ status: 'IN_PROGRESS', progress: '40%', finish_time: 0, image_url: '' });
  const server = siteWith(open);
  renderPage('/midjourney', { server, as: people.user });
  const row = await readRow(/In progress.*40%/);
  expect(within(row).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
  expect(row.textContent).toContain('N/A');
  server.answer(drawingApi.ownList, answerOf(drawingSample()));
  await readRow(/Done.*100%/);
}, 30_000);

test('a failure shows its whole reason, and that its price was given back', async () => {
  const reason = 'Banned prompt detected: a very long story of why';
  const failed = drawingSample({ status: 'FAILURE', fail_reason: reason, quota: 0, image_url: '' });
  const user = renderPage('/midjourney', { server: siteWith(failed), as: people.user });
  const row = await readRow(/Failed/);
  const back = within(row).getByRole('link', { name: 'Refunded' });
  expect(back.getAttribute('href')).toMatch(/^\/log\?.*request=req-1/);
  await user.click(within(row).getByText(reason));
  const dialog = await screen.findByRole('dialog', { name: 'Failure reason' });
  expect(dialog.textContent).toContain(reason);
  expect(within(dialog).getByRole('button', { name: 'Copy' })).toBeTruthy();
});

test('a task is searched by its id, over all time where a link says so', async () => {
  const server = siteWith(drawingSample());
  renderPage('/midjourney?id=task_0001&range=all', { server, as: people.user });
  await readRow(/a cat/);
  expect(server.inputs(drawingApi.ownList).at(-1)).toMatchObject({ mj_id: 'task_0001', start_timestamp: 0 });
});

test('a period without drawings shows a message, in Chinese as well', async () => {
  renderPage('/midjourney', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('没有绘图任务');
});

test('rows that fail to load show an error and can be loaded again', async () => {
  const server = siteWith().fail(drawingApi.ownList);
  const user = renderPage('/midjourney', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(drawingApi.ownList, answerOf(drawingSample({ prompt: 'late cat' })));
  await tryAgain(user);
  await expect.poll(shown).toContain('late cat');
});

test('the views are those that the site has enabled, and the one that is open', async () => {
  const server = siteWith().answer(statusApi.status, statusSample({ enable_task: true }));
  renderPage('/midjourney', { server, as: people.user });
  expect(await screen.findByRole('link', { name: 'Tasks' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Drawings' })).toBeTruthy();
});

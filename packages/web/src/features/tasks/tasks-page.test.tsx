import { screen, within } from '@testing-library/react';
import { statusApi, taskApi, type TaskData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';
import { taskSample } from '../../testing/task-samples.ts';

const answerOf = (...data: TaskData[]) => ({ data, extra: { total: data.length, exact: true } });
const siteWith = (...rows: TaskData[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ enable_task: true }))
    .answer(taskApi.ownList, answerOf(...rows))
    .answer(taskApi.list, answerOf(...rows));
const video = taskSample({
  platform: 'video',
  action: 'textGenerate',
  model: 'sora-2',
  data: null,
  properties: { input: 'a walk', seconds: 8, size: '1280x720' },
});
const readRow = (name: RegExp) => screen.findByRole('row', { name });

test('a song is listed with its times, its platform and its cost', async () => {
  renderPage('/task', { server: siteWith(taskSample()), as: people.user });
  const row = await readRow(/a song of cats/);
  expect(row.textContent).toMatch(/100%.*90 s.*Suno.*Music.*Done.*\$0\.10/);
});

test('today is loaded, in seconds, and platform and status can be chosen', async () => {
  const server = siteWith(taskSample());
  const user = renderPage('/task', { server, as: people.user });
  await readRow(/a song/);
  const from = server.inputs(taskApi.ownList).at(-1)?.start_timestamp ?? 0;
  expect(Date.now() / 1000 - from).toBeLessThan(86_400 + 3600);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Platform' }), 'Suno');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Done');
  await expect
    .poll(() => server.inputs(taskApi.ownList).at(-1))
    .toMatchObject({ platform: 'suno', status: 'SUCCESS' });
});

test('administrators see channel and user of all tasks', async () => {
  const server = siteWith(taskSample({ username: 'eve' }));
  renderPage('/task', { server, as: people.admin });
  const row = await readRow(/eve/);
  expect(within(row).getByRole('button', { name: 'Channel ID 3' })).toBeTruthy();
  expect(server.inputs(taskApi.ownList)).toEqual([]);
});

test('a click on the id shows the whole record as JSON', async () => {
  const user = renderPage('/task', { server: siteWith(taskSample()), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'task_0002' }));
  const dialog = await screen.findByRole('dialog', { name: 'Task record' });
  expect(dialog.textContent).toContain('"title": "Meow"');
});

test('a song is played where it is opened, with its title and its length', async () => {
  const user = renderPage('/task', { server: siteWith(taskSample()), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Play' }));
  const dialog = await screen.findByRole('dialog', { name: 'Music' });
  const player = await within(dialog).findByLabelText('Meow');
  expect(player.getAttribute('src')).toBe('https://cdn.example/meow.mp3');
  expect(dialog.textContent).toMatch(/Meow.*93 s/);
});

test('a video is played from this site by its owner’s session, once it is finished', async () => {
  const user = renderPage('/task', { server: siteWith(video), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Play' }));
  const dialog = await screen.findByRole('dialog', { name: 'Text to video' });
  const player = await within(dialog).findByLabelText('a walk');
  expect(player.getAttribute('src')).toBe('/pg/videos/task_0002/content');
  expect(dialog.textContent).toMatch(/8 s.*1280x720/);
});

test('an unfinished one cannot be played', async () => {
  const open = { ...video, status: 'IN_PROGRESS', progress: '30%', finish_time: 0 };
  renderPage('/task', { server: siteWith(open), as: people.user });
  const row = await readRow(/In progress/);
  expect(within(row).queryByRole('button', { name: 'Play' })).toBeNull();
  expect(within(row).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('30');
});

test('lyrics are shown where they are opened', async () => {
  const words = taskSample({ action: 'LYRICS', data: { title: 'Ode', text: 'Meow, said the cat' } });
  const user = renderPage('/task', { server: siteWith(words), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'View' }));
  const dialog = await screen.findByRole('dialog', { name: 'Lyrics' });
  await expect.poll(() => dialog.textContent).toContain('Meow, said the cat');
});

test('a period without tasks shows a message, in Chinese as well', async () => {
  renderPage('/task', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('没有任务');
});

test('rows that fail to load show an error and can be loaded again', async () => {
  const server = siteWith().fail(taskApi.ownList);
  const user = renderPage('/task', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(taskApi.ownList, answerOf(taskSample()));
  await tryAgain(user);
  await expect.poll(shown).toContain('a song of cats');
});

test('a running batch is listed with its progress, and cancelled by its user after a question', async () => {
  const batch = taskSample({
    platform: 'batch',
    action: 'openai',
    status: 'IN_PROGRESS',
    progress: '20%',
    finish_time: 0,
    data: null,
    properties: { input: '50 / 250 · /v1/chat/completions', seconds: 0, size: '' },
  });
  const server = siteWith(batch).answer(taskApi.cancel, null);
  const user = renderPage('/task', { server, as: people.user });
  const row = await readRow(/50 \/ 250/);
  expect(row.textContent).toMatch(/Batch.*OpenAI.*In progress/);
  expect(within(row).getByRole('link').getAttribute('href')).toContain('req-2-%25');
  await user.click(within(row).getByRole('button', { name: 'Cancel batch' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel the batch?' });
  expect(server.inputs(taskApi.cancel)).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Cancel batch' }));
  await expect.poll(() => server.inputs(taskApi.cancel)).toEqual([{ id: 2 }]);
  await screen.findByText('It will be cancelled within seconds');
});

test('a batch of somebody else, or one that has ended, cannot be cancelled', async () => {
  const other = taskSample({ platform: 'batch', status: 'IN_PROGRESS', user_id: 99, data: null });
  const ended = taskSample({ platform: 'batch', id: 3, data: null });
  renderPage('/task', { server: siteWith(other, ended), as: people.admin });
  await readRow(/In progress/);
  expect(screen.queryByRole('button', { name: 'Cancel batch' })).toBeNull();
});

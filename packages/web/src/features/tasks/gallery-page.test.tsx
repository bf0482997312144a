import { screen, within } from '@testing-library/react';
import { statusApi, taskApi, type GalleryItem } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';
import { gallerySample } from '../../testing/task-samples.ts';

const siteWith = (...items: GalleryItem[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ enable_drawing: true, enable_task: true }))
    .answer(taskApi.gallery, items);
const song = gallerySample({
  id: 2,
  task_id: 'task_0002',
  kind: 'song',
  action: 'MUSIC',
  prompt: 'a song',
  image_url: '',
  data: [
    {
      id: 'c',
      title: 'Meow',
      audio_url: 'https://cdn.example/meow.mp3',
      image_url: 'https://cdn.example/m.png',
    },
  ],
});
const video = gallerySample({
  id: 3,
  task_id: 'task_0003',
  kind: 'video',
  action: 'textGenerate',
  prompt: 'a walk',
  image_url: '',
});

test('pictures, songs and videos are cards with their kind and cost', async () => {
  renderPage('/gallery', { server: siteWith(video, song, gallerySample()), as: people.user });
  const grid = await screen.findByRole('list', { name: 'Gallery' });
  await expect.poll(() => within(grid).queryAllByRole('listitem').length).toBe(3);
  await expect.poll(() => grid.textContent).toMatch(/a walk.*\$0\.10.*Meow.*a cat/);
  const pictures = [...grid.querySelectorAll('img')].map((image) => image.getAttribute('src'));
  expect(pictures).toEqual(['https://cdn.example/m.png', '/mj/image/task_0001']);
});

test('a card opens: full size, copy, download', async () => {
  const user = renderPage('/gallery', { server: siteWith(gallerySample()), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Open: a cat' }));
  const dialog = await screen.findByRole('dialog', { name: 'Imagine' });
  const full = await within(dialog).findByRole('link', { name: 'Open full size' });
  expect(full.getAttribute('href')).toBe('/mj/image/task_0001');
  expect(within(dialog).getByRole('link', { name: 'Download' })).toBeTruthy();
  expect(within(dialog).getByRole('button', { name: 'Copy prompt' })).toBeTruthy();
});

test('a song plays in its card’s dialog', async () => {
  const user = renderPage('/gallery?kind=song', { server: siteWith(song), as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Open: Meow' }));
  const dialog = await screen.findByRole('dialog', { name: 'Music' });
  expect((await within(dialog).findByLabelText('Meow')).getAttribute('src')).toBe(
    'https://cdn.example/meow.mp3',
  );
});

test('one kind is selected, and failures are hidden at a click', async () => {
  const server = siteWith(gallerySample({ status: 'FAILURE', quota: 0, image_url: '' }));
  const user = renderPage('/gallery', { server, as: people.user });
  await expect.poll(shown).toMatch(/The task failed.*Refunded/);
  await user.click(screen.getByRole('radio', { name: 'Songs' }));
  await user.click(screen.getByRole('switch', { name: 'Hide failures' }));
  await expect
    .poll(() => server.inputs(taskApi.gallery).at(-1))
    .toMatchObject({ kind: 'song', failed: 'hidden' });
});

test('a running task shows its progress, and its picture once it is finished', async () => {
  const open = gallerySample({ status: 'IN_PROGRESS', progress: '40%', finish_time: 0, image_url: '' });
  const server = siteWith(open);
  renderPage('/gallery', { server, as: people.user });
  const ring = await screen.findByRole('progressbar');
  expect(ring.getAttribute('aria-valuenow')).toBe('40');
  server.answer(taskApi.gallery, [gallerySample()]);
  await expect
    .poll(() => document.querySelector('main img')?.getAttribute('src'), { timeout: 15_000 })
    .toBe('/mj/image/task_0001');
}, 30_000);

test('older works load on request', async () => {
  const server = siteWith();
  server.answer(taskApi.gallery, ({ before }) =>
    before === 0
      ? Array.from({ length: 24 }, (_, index) =>
          gallerySample({ id: 50 - index, task_id: `task_${50 - index}` }),
        )
      : [gallerySample({ id: 5, task_id: 'task_5', prompt: 'the oldest' })],
  );
  const user = renderPage('/gallery', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Show more' }));
  await expect.poll(shown).toContain('the oldest');
  expect(server.inputs(taskApi.gallery).at(-1)?.before).toBe(27);
});

test('an empty gallery explains how it fills, in Chinese as well', async () => {
  renderPage('/gallery', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('还没有作品');
});

test('works that fail to load can be loaded again', async () => {
  const server = siteWith().fail(taskApi.gallery);
  const user = renderPage('/gallery', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(taskApi.gallery, [gallerySample({ prompt: 'late cat' })]);
  await tryAgain(user);
  await expect.poll(shown).toContain('late cat');
});

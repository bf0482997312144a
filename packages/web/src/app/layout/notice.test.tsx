import { screen } from '@testing-library/react';
import { selfApi, statusApi, tokenApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { people, statusSample, userSample } from '../../testing/samples.ts';
import { stored } from '../../lib/storage.ts';

/** Each test has its own mark, because fetched data are cached as long as the console runs. */
const announcing = (mark: string) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ has_notice: true, notice_mark: mark }))
    .answer(statusApi.notice, 'Maintenance on **Sunday**')
    .answer(tokenApi.list, [])
    .answer(selfApi.get, userSample());

const page = () => document.body.textContent;

test('an announcement is unread until it is dismissed, and can be read again', async () => {
  const user = renderPage('/token', { server: announcing('first'), as: people.user });
  await screen.findByRole('button', { name: 'Announcement, unread' });
  await user.click(await screen.findByRole('button', { name: 'Dismiss the announcement' }));
  expect(page()).not.toContain('Maintenance');
  await user.click(await screen.findByRole('button', { name: 'Announcement' }));
  await expect.poll(page).toContain('Maintenance on Sunday');
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

test('what one user has read is unread for another on this device, and again when it changes, in Chinese', async () => {
  stored.noticesRead.set({ [String(people.admin.id)]: 'second', [String(people.user.id)]: 'of before' });
  renderPage('/token', { server: announcing('second'), as: people.user, language: 'zh' });
  await screen.findByRole('button', { name: '公告（未读）' });
  await expect.poll(page).toContain('Maintenance on Sunday');
});

test('an announcement that was read stays hidden', async () => {
  stored.noticesRead.set({ [String(people.user.id)]: 'third' });
  renderPage('/token', { server: announcing('third'), as: people.user });
  await screen.findByRole('button', { name: 'Announcement' });
  await expect.poll(page).not.toContain('Maintenance');
});

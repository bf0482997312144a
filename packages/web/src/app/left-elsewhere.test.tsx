import { screen } from '@testing-library/react';
import { authApi, selfApi, tokenApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { endSession } from '../lib/session.ts';
import { openDialog, openDialogs } from '../shared/dialog/dialog.ts';
import { openLazyDialog } from '../shared/dialog/open-lazy-dialog.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { renderPage, shown } from '../testing/render-page.tsx';
import { people, userSample } from '../testing/samples.ts';

const site = () => new FakeServer().answer(tokenApi.list, []).answer(selfApi.get, userSample());

/** Simulates the storage event of a browser after a log-out in another tab. */
function leaveInAnotherTab(): void {
  const oldValue = localStorage.getItem('user');
  localStorage.removeItem('user');
  window.dispatchEvent(new StorageEvent('storage', { key: 'user', oldValue, newValue: null }));
}

test('a user who logged out in another tab stays on a public page', async () => {
  renderPage('/no-such-page', { server: site(), as: people.user });
  await expect.poll(shown).toContain('Page not found');
  leaveInAnotherTab();
  await expect.poll(() => document.querySelector('header')?.textContent).toContain('Log in');
  expect(window.location.pathname).toBe('/no-such-page');
});

test('a protected page closes when its user has logged out in another tab', async () => {
  renderPage('/token', { server: site(), as: people.user });
  await expect.poll(shown).toContain('Keys');
  leaveInAnotherTab();
  await expect.poll(() => window.location.pathname).toBe('/login');
  await expect.poll(shown).toContain('session expired');
});

test('a session that ended on a page leads back there, with its filters, after the log-in', async () => {
  const server = site().answer(authApi.login, people.user).answer(tokenApi.search, []);
  const user = renderPage('/token?keyword=lap&p=2', { server, as: people.user });
  await expect.poll(shown).toContain('Keys');
  endSession('expired');
  await user.type(await screen.findByLabelText('Username or e-mail'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'secret-word{Enter}');
  await expect.poll(() => window.location.pathname + window.location.search).toBe('/token?keyword=lap&p=2');
});

test.each([
  ['in another tab', leaveInAnotherTab],
  ['at the server', () => endSession('expired')],
  ['here', () => endSession('logout')],
])('what a dialog shows or asks closes with the session that ended %s', async (_where, end) => {
  renderPage('/token', { server: site(), as: people.user });
  await expect.poll(shown).toContain('Keys');
  let closed = 0;
  openDialog({ title: 'Key', body: 'sk-whole', onClose: () => (closed += 1) });
  await screen.findByText('sk-whole');
  end();
  await expect.poll(() => screen.queryByText('sk-whole')).toBeNull();
  expect(closed).toBe(1);
});

test('a dialog whose code comes after the session has ended stays closed', async () => {
  renderPage('/token', { server: site(), as: people.user });
  await expect.poll(shown).toContain('Keys');
  const { promise: code, resolve: arrive } = Promise.withResolvers<string>();
  const opening = openLazyDialog({ title: 'Key', body: () => code });
  endSession('expired');
  arrive('sk-whole');
  await opening;
  expect(openDialogs.get()).toEqual([]);
});

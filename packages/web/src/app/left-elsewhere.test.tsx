import { selfApi, tokenApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../testing/fake-server.ts';
import { renderPage, shown } from '../testing/render-page.tsx';
import { people, userSample } from '../testing/samples.ts';

const site = () => new FakeServer().answer(tokenApi.list, []).answer(selfApi.get, userSample());

/** What a browser tells a tab when another one forgets the person. */
function leaveInAnotherTab(): void {
  const oldValue = localStorage.getItem('user');
  localStorage.removeItem('user');
  window.dispatchEvent(new StorageEvent('storage', { key: 'user', oldValue, newValue: null }));
}

// First of the two: what later pages hear of it cannot move this one.
test('a user who logged out in another tab stays on a public page', async () => {
  renderPage('/no-such-page', { server: site(), as: people.user });
  await expect.poll(shown).toContain('Page not found');
  leaveInAnotherTab();
  await expect.poll(() => document.querySelector('header')?.textContent).toContain('Log in');
  expect(window.location.pathname).toBe('/no-such-page');
});

test('a protected page closes when its user has logged out in another tab', async () => {
  renderPage('/token', { server: site(), as: people.user });
  await expect.poll(shown).toContain('API tokens');
  leaveInAnotherTab();
  await expect.poll(() => window.location.pathname).toBe('/login');
  await expect.poll(shown).toContain('session expired');
});

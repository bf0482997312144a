import { configure, screen } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import type { SignedIn } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, vi } from 'vitest';
import { App } from '../app/router/providers.tsx';
import { setLanguage, type Language } from '../lib/i18n.ts';
import { stored } from '../lib/storage.ts';
import { closeDialogs } from '../shared/dialog/dialog.ts';
import { shownToasts } from '../shared/feedback/toast.ts';
import type { FakeServer } from './fake-server.ts';

// A generous timeout, because the machine may be busy: no test asserts how soon something appears.
// Events are not wrapped in `act`, so React renders at the same time as in a browser.
configure({ asyncUtilTimeout: 20_000, eventWrapper: (run) => run() });

interface Visit {
  server: FakeServer;
  /** Who is logged in; null for a guest. */
  as: SignedIn | null;
  language?: Language;
}

let visited: FakeServer | undefined;
/** Functions that remove the rendered elements. */
const drawn: (() => void)[] = [];

/** Renders an element in a container and returns the container. React is the production build, without `act`. */
export function draw(element: ReactNode, container = document.createElement('div')): HTMLElement {
  document.body.append(container);
  const root = createRoot(container);
  flushSync(() => root.render(element));
  drawn.push(() => {
    flushSync(() => root.unmount());
    container.remove();
  });
  return container;
}

/** Removes all rendered elements; the end of a test does this too. */
export function erase(): void {
  for (const remove of drawn.splice(0)) remove();
}

/**
 * Removes everything that outlives a page: dialogs and toasts, local and session storage and the values read from it, the
 * address, `fetch`.
 */
function clearBrowser(): void {
  closeDialogs();
  erase();
  shownToasts.set([]);
  window.localStorage.clear();
  window.sessionStorage.clear();
  // Stored values treat this as a clearing by another tab.
  window.dispatchEvent(new StorageEvent('storage', { key: null }));
  window.history.replaceState(null, '', '/');
  vi.unstubAllGlobals();
  visited = undefined;
}

/** Ends the page of a test (setup-pages.ts). Fails if the page made a call that the server of the test does not have. */
export function resetPage(): void {
  const unexpected = visited?.unexpected ?? [];
  clearBrowser();
  expect(unexpected).toEqual([]);
}

/**
 * Renders the whole console at an address: router, guard and frame are the real ones, only `fetch` is fake. Returns the
 * simulated user.
 */
export function renderPage(path: string, { server, as, language = 'en' }: Visit): UserEvent {
  visited = server;
  vi.stubGlobal('fetch', server.fetch);
  setLanguage(language);
  if (as) stored.user.set(as);
  window.history.replaceState(null, '', path);
  draw(<App />);
  return userEvent.setup();
}

/** What the page itself shows, without the frame around it: `await expect.poll(shown).toContain('…')`. */
export const shown = (): string => document.querySelector('main')?.textContent ?? '';

/** Presses the retry button of a failed load. */
export const tryAgain = async (user: UserEvent): Promise<void> =>
  user.click(await screen.findByRole('button', { name: /^(Try again|重试)$/ }));

import { cleanup, configure, render, screen } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import type { SignedIn } from '@tollgate/contract';
import { afterEach, expect, vi } from 'vitest';
import { App } from '../app/router/providers.tsx';
import { setLanguage, type Language } from '../lib/i18n.ts';
import { stored } from '../lib/storage.ts';
import { completeBrowser } from './browser-parts.ts';
import type { FakeServer } from './fake-server.ts';

// What is awaited comes; how soon is no test's business, least of all on a busy machine.
// Events are React's own affair, as in a browser: nothing is drawn by force in between.
configure({ asyncUtilTimeout: 20_000, eventWrapper: (run) => run() });
completeBrowser();

interface Visit {
  server: FakeServer;
  /** Who is logged in; null for a guest. */
  as: SignedIn | null;
  language?: Language;
}

let visited: FakeServer | undefined;

/** Puts everything back that outlives a page: local and session storage and the values read from it, the address, `fetch`. */
function leave(): void {
  cleanup();
  window.localStorage.clear();
  window.sessionStorage.clear();
  // Every stored value hears of it as of another tab's clearing.
  window.dispatchEvent(new StorageEvent('storage', { key: null }));
  window.history.replaceState(null, '', '/');
  vi.unstubAllGlobals();
  visited = undefined;
}

afterEach(() => {
  const unexpected = visited?.unexpected ?? [];
  leave();
  expect(unexpected).toEqual([]);
});

/**
 * Opens the whole console at an address, as a person with a browser does: router, guard and frame are the real ones, and
 * only `fetch` is another. Answers the person's hands.
 */
export function renderPage(path: string, { server, as, language = 'en' }: Visit): UserEvent {
  visited = server;
  vi.stubGlobal('fetch', server.fetch);
  setLanguage(language);
  if (as) stored.user.set(as);
  window.history.replaceState(null, '', path);
  render(<App />);
  return userEvent.setup();
}

/** What the page itself shows, without the frame around it: `await expect.poll(shown).toContain('…')`. */
export const shown = (): string => document.querySelector('main')?.textContent ?? '';

/** Presses the button that what failed to load offers. */
export const tryAgain = async (hands: UserEvent): Promise<void> =>
  hands.click(await screen.findByRole('button', { name: /^(Try again|重试)$/ }));

import type { QueryClient } from '@tanstack/react-query';
import { startTransition, useEffect, useState } from 'react';
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { lazy } from '../../lib/lazy.ts';
import { currentUser, mayAccess, useCurrentUser } from '../../lib/session.ts';
import { initialStatus, type Status } from '../../lib/api/status.ts';
import type { StoredUser } from '../../lib/storage.ts';
import { Frame } from '../layout/frame.tsx';
import { NoAccess, NotFound, PageError, PageSkeleton } from '../page-states.tsx';
import { otherAddresses, type AddressEntry, pages } from '../pages.ts';
import type { PageEntry } from '../page-entry.ts';
import { accessRole } from '@tollgate/contract';

/** The page that a user is redirected to, or a refusal; null if they have access. */
type GuardResult = 'to-setup' | 'to-home' | 'to-login' | 'no-access' | null;

/**
 * Decides before a page loads: a new installation opens the set-up, a finished one leaves it, and guests go to the
 * log-in. The server checks rights itself; this only avoids empty pages.
 *
 * @param role - role of the logged-in user, null for a guest
 */
export function guardPage(
  page: Pick<PageEntry, 'path' | 'access' | 'closed'>,
  status: Status,
  role: number | null,
): GuardResult {
  if (page.path === '/setup') return status.setup ? 'to-home' : null;
  if (!status.setup) return 'to-setup';
  if (role === null && (page.access !== 'public' || page.closed?.(status))) return 'to-login';
  if (page.access === 'public' || role === null) return null;
  return role >= accessRole[page.access] ? null : 'no-access';
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page entry of this route. */
    page?: PageEntry;
  }
}

/** Searches are plain `name=value` pairs: addresses stay readable and a key like `1e5` stays a text. */
const search = {
  parseSearch: (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values: Record<string, unknown>): string => {
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string' && value !== '') pairs.set(name, value);
    }
    return pairs.size > 0 ? `?${pairs}` : '';
  },
};

/**
 * False at first, then true in a transition. What renders only then is rendered in slices between which the browser can
 * answer the user; the router and the queries render whole pages in one piece.
 *
 * @param isNow - true from the start
 */
function useSliced(isNow = false): boolean {
  const [isReady, setReady] = useState(isNow);
  useEffect(() => startTransition(() => setReady(true)), []);
  return isReady;
}

function Root() {
  return useSliced() ? <Frame /> : null;
}

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: RootError,
});

/** If the first status cannot be loaded there is no route, so this renders the frame as well. */
function RootError(props: Parameters<typeof PageError>[0]) {
  return (
    <Frame>
      <PageError {...props} />
    </Frame>
  );
}

/** The page, or a refusal. Nothing is thrown, because the browser's console would log it as an error. */
function guarded(page: PageEntry, visit: { isStarted: boolean }) {
  const Page = lazy(async () => ({ default: (await page.load()).Page }));
  // Guests are redirected before this; a user who just logged out sees the page until the log-in has loaded.
  const isOpen = (user: StoredUser | null) => user === null || mayAccess(user, page.access);
  function Guarded() {
    const isReady = useSliced(visit.isStarted);
    const isAllowed = isOpen(useCurrentUser());
    useEffect(() => {
      visit.isStarted = isReady;
    }, [isReady]);
    if (!isAllowed) return <NoAccess />;
    return isReady ? <Page /> : <PageSkeleton />;
  }
  Guarded.preload = async () => {
    if (isOpen(currentUser())) await Page.preload();
  };
  return Guarded;
}

/** The replacement of an old search of a page: `/prices?tab=sync` is now a page of its own. */
function movedFrom(path: string, search: Record<string, string>) {
  for (const entry of otherAddresses) {
    const [ofPath, ofSearch] = entry.path.split('?');
    if (ofPath !== path || ofSearch === undefined) continue;
    const [[name = '', value] = []] = new URLSearchParams(ofSearch);
    if (search[name] !== value) continue;
    const { [name]: _, ...others } = search;
    return { to: entry.to, search: { ...others, ...entry.search } };
  }
  return undefined;
}

const routeOf = (page: PageEntry, client: QueryClient, visit: { isStarted: boolean }) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: page.path,
    staticData: { page },
    component: guarded(page, visit),
    pendingComponent: PageSkeleton,
    errorComponent: PageError,
    beforeLoad: async ({ location, search: given }) => {
      const moved = movedFrom(page.path, given);
      if (moved) throw redirect({ ...moved, replace: true });
      const status = await initialStatus(client);
      const barrier = guardPage(page, status, currentUser()?.role ?? null);
      if (barrier === 'to-setup') throw redirect({ to: '/setup', replace: true });
      if (barrier === 'to-home') throw redirect({ to: '/', replace: true });
      if (barrier === 'to-login')
        throw redirect({ to: '/login', search: { next: location.href }, replace: true });
    },
  });

/** Addresses without a page. A site that is not set up redirects them to the set-up. */
const notFoundRoute = (client: QueryClient) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: '$',
    component: NotFound,
    errorComponent: PageError,
    beforeLoad: async () => {
      if (!(await initialStatus(client)).setup) throw redirect({ to: '/setup', replace: true });
    },
  });

/** Redirects to the page that shows it. The address then follows what is opened and closed. */
const redirectOf = ({ path, to, search }: AddressEntry) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: ({ params }: { params: Record<string, string> }) => {
      const values = Object.entries(search).map(([name, value]) => [
        name,
        value.startsWith('$') ? params[value.slice(1)] : value,
      ]);
      throw redirect({ to, search: Object.fromEntries(values), replace: true });
    },
  });

export function buildRouter(client: QueryClient) {
  const visit = { isStarted: false };
  return createRouter({
    routeTree: rootRoute.addChildren([
      ...pages.map((page) => routeOf(page, client, visit)),
      ...otherAddresses.filter(({ path }) => !path.includes('?')).map(redirectOf),
      notFoundRoute(client),
    ]),
    ...search,
    defaultPreload: 'intent',
    defaultPendingMs: 200,
    scrollRestoration: true,
  });
}

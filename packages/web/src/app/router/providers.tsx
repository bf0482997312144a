import { MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import { QueryClientProvider, MutationCache, QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { setReauthentication } from '../../lib/api/reauthentication.ts';
import { onSessionEnd } from '../../lib/session.ts';
import { stored } from '../../lib/storage.ts';
import { closeDialogs } from '../../shared/dialog/dialog.ts';
import { DialogHost } from '../../shared/dialog/dialog-host.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { Toaster } from '../../shared/feedback/toaster.tsx';
import { buildRouter } from './router.tsx';
import { cssVariables, theme } from '../theme.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from '../text.ts';

/** A refusal does not change; only a lost connection or a failing server is retried. */
const shouldRetry = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502);

/**
 * Caches server data of the console. Failed changes go to `onMutationError`; failed reads are shown in place of the data.
 */
function createQueryClient(onMutationError: (error: Error) => void): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, staleTime: 15_000, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // These forms show the error beside the field.
        if (mutation.meta?.quiet !== true) onMutationError(error);
      },
    }),
  });
}

/** Stores the colour scheme that Mantine sets: light, dark or system (`public/theme.js` reads the same key). */
function themeModeManager(): MantineColorSchemeManager {
  let unsubscribe = () => {};
  return {
    get: () => stored.themeMode.get(),
    set: (mode) => {
      // Mantine writes back each value that it is notified of; another notification would be a loop.
      if (stored.themeMode.get() !== mode) stored.themeMode.set(mode);
    },
    subscribe: (onUpdate) => {
      unsubscribe = stored.themeMode.subscribe(() => onUpdate(stored.themeMode.get()));
    },
    unsubscribe: () => unsubscribe(),
    clear: () => stored.themeMode.set(undefined),
  };
}

/**
 * The portal of lists, menus and tooltips. They are outside of all parts of the page, so the portal is a landmark of its
 * own, which `base.css` hides while nothing is open. It is never unmounted: an open list without its portal would not
 * show.
 */
function Popups() {
  const t = useTranslate();
  return <section id="popups" aria-label={t(text.popups)} />;
}

/** Refused until the user confirms their identity in a dialog. */
const isReauthenticationError = (error: Error): boolean =>
  error instanceof ApiError && /^(verify_again|password_required)$/.test(error.code ?? '');

/** Creates the query client and the router, once. */
function buildApp() {
  const client = createQueryClient((error) => {
    // A user who closed that dialog knows that nothing changed.
    if (!isReauthenticationError(error)) toast.bad(errorMessage(error, stored.language.get()));
  });
  const router = buildRouter(client);
  setReauthentication(async (error, hasPassword) => {
    if (!isReauthenticationError(error) && error.code !== 'second_factor_required') return false;
    const { reauthenticateAfter } = await import('../../shared/reauthentication/reauthenticate-after.tsx');
    return reauthenticateAfter(error, hasPassword, () => {
      void router.navigate({ to: '/personal', hash: 'two-step' });
    });
  });
  return { client, router, themeMode: themeModeManager() };
}

/** Closes dialogs and messages of a session when it ends, and opens the log-in, which returns to the page. */
function useSessionEnd({ client, router }: Pick<ReturnType<typeof buildApp>, 'client' | 'router'>): void {
  useEffect(
    () =>
      onSessionEnd((reason) => {
        // They show keys, and act in the name of the user who logged out.
        closeDialogs();
        if (reason === 'logout') return;
        client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
        // A public page stays open for a user who logged out in another tab.
        const page = router.state.matches.at(-1)?.staticData.page;
        if (reason === 'elsewhere' && (page?.access ?? 'public') === 'public') return;
        const { pathname, href } = router.state.location;
        if (pathname === '/login') return;
        void router.navigate({ to: '/login', search: { expired: 'true', next: href } });
      }),
    [client, router],
  );
}

export function App() {
  const [app] = useState(buildApp);
  const { client, router, themeMode } = app;
  useSessionEnd(app);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={themeMode}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Popups />
        <DialogHost />
        <Toaster />
      </QueryClientProvider>
    </MantineProvider>
  );
}

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

/** A refusal stays the same; only a lost connection or a failing server is retried. */
const shouldRetry = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502);

/** Server data of the console. Failed changes go to `onMutationError`; failed reads are shown where the data would be. */
function createQueryClient(onMutationError: (error: Error) => void): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, staleTime: 15_000, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // Forms that show the error beside the field say so.
        if (mutation.meta?.quiet !== true) onMutationError(error);
      },
    }),
  });
}

/** Stores Mantine's choice of light, dark or system (`public/theme.js` reads the same key). */
function themeModeManager(): MantineColorSchemeManager {
  let unsubscribe = () => {};
  return {
    get: () => stored.themeMode.get(),
    set: (mode) => {
      // Mantine writes back each value that it is notified of; notifying it again would be a loop.
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
 * The portal of lists, menus and tooltips. They are in no part of the page, so it is a landmark of its own, which `base.css`
 * hides while nothing is open. It is never unmounted: an open list without its portal would not show.
 */
function Popups() {
  const t = useTranslate();
  return <section id="popups" aria-label={t(text.popups)} />;
}

/** Refused until the user confirms their identity, for which a dialog asks. */
const isReauthenticationError = (error: Error): boolean =>
  error instanceof ApiError && /^(verify_again|password_required)$/.test(error.code ?? '');

/** Builds what exists once: the query client and the router. */
function buildApp() {
  const client = createQueryClient((error) => {
    // A user who closed that dialog knows that nothing was done.
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

/** Closes what a session showed when it ends, and leads to the log-in, which leads back. */
function useSessionEnd({ client, router }: Pick<ReturnType<typeof buildApp>, 'client' | 'router'>): void {
  useEffect(
    () =>
      onSessionEnd((reason) => {
        // They show keys, and ask to do things in the name of who is gone.
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

import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { setReauthentication } from '../../lib/api/reauthentication.ts';
import { createQueryClient } from '../../lib/api/query-client.ts';
import { onSessionEnd } from '../../lib/session.ts';
import { stored } from '../../lib/storage.ts';
import { themeModeManager } from '../../lib/theme.ts';
import { closeDialogs } from '../../shared/dialog/dialog.ts';
import { DialogHost } from '../../shared/dialog/dialog-host.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { Toaster } from '../../shared/feedback/toaster.tsx';
import { Popups } from '../layout/popups.tsx';
import { buildRouter } from './router.tsx';
import { cssVariables, theme } from '../theme.ts';

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
    const { reauthenticateAfter } = await import('../../shared/reauthentication/reauthenticate-after.ts');
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

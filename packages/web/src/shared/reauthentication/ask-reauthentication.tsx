import { translate } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { openDialog } from '../dialog/dialog.ts';
import { ReauthenticationForm } from './reauthentication-form.tsx';
import { reauthenticationText } from './text.ts';

/** How users confirm their identity again: by a second factor, or by the password if they have none. */
export type ReauthenticationMethod = 'factor' | 'password';

/** Asks in a dialog to confirm the identity again; resolves to whether it was confirmed. */
export const askReauthentication = (kind: ReauthenticationMethod): Promise<boolean> =>
  new Promise((resolve) => {
    const close = openDialog({
      title: translate(stored.language.get(), reauthenticationText.title),
      onClose: () => resolve(false),
      body: (
        <ReauthenticationForm
          kind={kind}
          onClose={() => close()}
          onDone={() => {
            // Closing resolves to false, which has no effect after this.
            resolve(true);
            close();
          }}
        />
      ),
    });
  });

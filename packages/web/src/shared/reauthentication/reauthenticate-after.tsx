import { translate } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { openDialog } from '../dialog/dialog.ts';
import { ReauthenticationForm } from './reauthentication-form.tsx';
import { reauthenticationText } from './text.ts';
import type { ApiError } from '../../lib/api/api-error.ts';

/** Confirmation method: a second factor, or the password without one. */
type ReauthenticationMethod = 'factor' | 'password';

/** Asks in a dialog for a confirmation of identity; resolves to true if it was confirmed. */
const askReauthentication = (kind: ReauthenticationMethod): Promise<boolean> =>
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

let pending: Promise<boolean> | undefined;

/** The method that a refusal requires; undefined for other errors. */
function kindOf({ code }: ApiError, hasPassword: boolean): ReauthenticationMethod | undefined {
  if (code === 'verify_again') return 'factor';
  return code === 'password_required' && !hasPassword ? 'password' : undefined;
}

/**
 * Asks the user to confirm their identity if `error` requires it; resolves to true if they did. Concurrent calls share
 * one dialog. An administrator without a required second factor is sent to its set-up.
 *
 * @param openSetUp - opens the set-up of second factors
 */
export async function reauthenticateAfter(
  error: ApiError,
  hasPassword: boolean,
  openSetUp: () => void,
): Promise<boolean> {
  if (error.code === 'second_factor_required') openSetUp();
  const kind = kindOf(error, hasPassword);
  if (kind === undefined) return false;
  pending ??= askReauthentication(kind).finally(() => (pending = undefined));
  return pending;
}

import { translate } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { openDialog } from '../dialog/dialog.ts';
import { ReauthenticationForm } from './reauthentication-form.tsx';
import { reauthenticationText } from './text.ts';
import type { ApiError } from '../../lib/api/api-error.ts';

/** How users confirm their identity again: by a second factor, or by the password if they have none. */
type ReauthenticationMethod = 'factor' | 'password';

/** Asks in a dialog to confirm the identity again; resolves to whether it was confirmed. */
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

/** The method that a refusal requires; undefined for every other error. */
function kindOf({ code }: ApiError, hasPassword: boolean): ReauthenticationMethod | undefined {
  if (code === 'verify_again') return 'factor';
  return code === 'password_required' && !hasPassword ? 'password' : undefined;
}

/**
 * Asks the user to confirm their identity if `error` requires it; resolves to whether they did. Calls that wait at the
 * same time share one dialog. An administrator without a required second factor is led to its set-up.
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

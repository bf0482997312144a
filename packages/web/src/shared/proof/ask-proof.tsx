import { translate } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { openDialog } from '../dialog/dialog.ts';
import { ProofForm } from './proof-form.tsx';
import { proofText } from './text.ts';

/** How a person proves once more who they are: by a second factor, or by the password where there is none. */
export type ProofKind = 'factor' | 'password';

/** Asks in a dialog to confirm the identity again; resolves to whether it was confirmed. */
export const askProof = (kind: ProofKind): Promise<boolean> =>
  new Promise((resolve) => {
    const close = openDialog({
      title: translate(stored.language.get(), proofText.title),
      onClose: () => resolve(false),
      body: (
        <ProofForm
          kind={kind}
          onClose={() => close()}
          onDone={() => {
            // The first answer counts; closing then answers no and is not heard.
            resolve(true);
            close();
          }}
        />
      ),
    });
  });

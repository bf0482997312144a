import { sayIn } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import type { ProofKind } from '../../lib/api/proof.ts';
import { openDialog } from '../dialog/dialog.ts';
import { ProofForm } from './proof-form.tsx';
import { proofText } from './text.ts';

/** Asks a person in a dialog to prove once more who they are; tells whether they did. */
export const askProof = (kind: ProofKind): Promise<boolean> =>
  new Promise((resolve) => {
    const close = openDialog({
      title: sayIn(stored.language.get(), proofText.title),
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

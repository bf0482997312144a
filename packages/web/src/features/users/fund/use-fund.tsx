import type { ManagedUserData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { fundText } from './text.ts';

/** Opens the dialog for manual balance changes. */
export function useFund(): (user: ManagedUserData) => void {
  const t = useTranslate();
  return (user) =>
    void openLazyDialog({
      title: t(fundText.title, { name: user.username }),
      body: async (close) => {
        const { BalanceBody } = await import('./balance-body.tsx');
        return <BalanceBody user={user} onClose={close} />;
      },
    });
}

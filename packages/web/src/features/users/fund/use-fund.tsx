import type { ManagedUserData } from '@tollgate/contract';
import { useSay } from '../../../lib/i18n.ts';
import { openLate } from '../../../shared/dialog/open-late.ts';
import { fundText } from './text.ts';

/** Opens the dialog that moves money by hand. */
export function useFund(): (user: ManagedUserData) => void {
  const say = useSay();
  return (user) =>
    void openLate({
      title: say(fundText.title, { name: user.username }),
      body: async (close) => {
        const { BalanceBody } = await import('./balance-body.tsx');
        return <BalanceBody user={user} onClose={close} />;
      },
    });
}

import { Button, Group } from '@mantine/core';
import type { ManagedUserData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Dot } from '../../../ui/dot.tsx';
import { isBelow } from '../base/permissions.ts';
import { useResetFactors } from '../base/queries.ts';
import { formText } from './form-text.ts';

/** Whether somebody signs in with two steps, and a way back in for those who lost their device. */
export function TwoStep({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const actor = useCurrentUser();
  const confirm = useConfirm();
  const reset = useResetFactors();
  const ask = async () => {
    const agreed = await confirm({
      title: t(formText.resetFactorTitle, { name: user.username }),
      body: t(formText.resetFactorBody),
      action: t(formText.resetFactor),
      danger: true,
    });
    if (agreed) reset.mutate(user.id, { onSuccess: () => toast.good(t(formText.factorReset)) });
  };
  return (
    <Group gap="sm" justify="space-between">
      <Dot tone={user.two_factor ? 'good' : 'idle'}>
        {t(user.two_factor ? formText.twoStepOn : formText.twoStepOff)}
      </Dot>
      {user.two_factor && isBelow(actor, user) && (
        <Button variant="default" size="xs" loading={reset.isPending} onClick={() => void ask()}>
          {t(formText.resetFactor)}
        </Button>
      )}
    </Group>
  );
}

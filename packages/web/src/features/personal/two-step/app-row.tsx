import { Button } from '@mantine/core';
import type { FactorStatus } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { Dot } from '../../../ui/dot.tsx';
import classes from '../base/personal.module.css';
import { useDisable, useSetUp } from './queries.ts';
import { text } from './text.ts';

/** The authenticator app: set up or switched off. */
export function AppRow({ factors }: { factors: FactorStatus }) {
  const t = useTranslate();
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>{t(text.app)}</div>
        <p className={classes.quiet}>{t(text.appBody)}</p>
      </div>
      <Dot tone={factors.enabled ? 'good' : 'idle'}>{t(factors.enabled ? text.on : text.off)}</Dot>
      {factors.enabled ? <SwitchOff /> : <SetUp />}
    </li>
  );
}

function SetUp() {
  const t = useTranslate();
  const setUp = useSetUp();
  const open = async () => {
    const proposal = await setUp.mutateAsync().catch(() => undefined);
    if (!proposal) return;
    await openLazyDialog({
      title: t(text.setUp),
      body: async (close) => {
        const { SetUpApp } = await import('./set-up-app.tsx');
        return <SetUpApp proposal={proposal} onClose={close} />;
      },
    });
  };
  return (
    <MutationButton size="xs" variant="default" loading={setUp.isPending} onClick={() => void open()}>
      {t(text.setUp)}
    </MutationButton>
  );
}

function SwitchOff() {
  const t = useTranslate();
  const confirm = useConfirm();
  const disable = useDisable();
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.switchOffTitle),
      body: t(text.switchOffBody),
      action: t(text.switchOff),
      danger: true,
    });
    if (agreed) disable.mutate(undefined, { onSuccess: () => toast.good(t(text.switchedOff)) });
  };
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`${t(text.app)}: ${t(text.switchOff)}`}
      loading={disable.isPending}
      onClick={() => void ask()}
    >
      {t(text.switchOff)}
    </Button>
  );
}

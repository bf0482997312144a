import { Button } from '@mantine/core';
import type { FactorStatus } from '@tollgate/contract';
import { useSay } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { Dot } from '../../../ui/dot.tsx';
import classes from '../base/personal.module.css';
import { useDisable, useSetUp } from './queries.ts';
import { text } from './text.ts';

/** The authenticator app: set up, or switched off. */
export function AppRow({ factors }: { factors: FactorStatus }) {
  const say = useSay();
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>{say(text.app)}</div>
        <p className={classes.quiet}>{say(text.appBody)}</p>
      </div>
      <Dot tone={factors.enabled ? 'good' : 'idle'}>{say(factors.enabled ? text.on : text.off)}</Dot>
      {factors.enabled ? <SwitchOff /> : <SetUp />}
    </li>
  );
}

function SetUp() {
  const say = useSay();
  const setUp = useSetUp();
  const open = async () => {
    const proposal = await setUp.mutateAsync().catch(() => undefined);
    if (!proposal) return;
    await openLazyDialog({
      title: say(text.setUp),
      body: async (close) => {
        const { SetUpApp } = await import('./set-up-app.tsx');
        return <SetUpApp proposal={proposal} onClose={close} />;
      },
    });
  };
  return (
    <MutationButton size="xs" variant="default" loading={setUp.isPending} onClick={() => void open()}>
      {say(text.setUp)}
    </MutationButton>
  );
}

function SwitchOff() {
  const say = useSay();
  const confirm = useConfirm();
  const disable = useDisable();
  const ask = async () => {
    const agreed = await confirm({
      title: say(text.switchOffTitle),
      body: say(text.switchOffBody),
      action: say(text.switchOff),
      danger: true,
    });
    if (agreed) disable.mutate(undefined, { onSuccess: () => toast.good(say(text.switchedOff)) });
  };
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`${say(text.app)}: ${say(text.switchOff)}`}
      loading={disable.isPending}
      onClick={() => void ask()}
    >
      {say(text.switchOff)}
    </Button>
  );
}

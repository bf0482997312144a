import { Button } from '@mantine/core';
import { useSay } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Dot } from '../../../ui/dot.tsx';
import classes from '../base/personal.module.css';
import { useRenewCodes } from './queries.ts';
import { text } from './text.ts';

/** Fewer than this are soon none. */
const few = 3;

/** How many recovery codes are left, and a way to new ones. */
export function RecoveryRow({ left }: { left: number }) {
  const say = useSay();
  const confirm = useConfirm();
  const renew = useRenewCodes();
  const ask = async () => {
    const agreed = await confirm({
      title: say(text.renewTitle),
      body: say(text.renewBody),
      action: say(text.renew),
    });
    if (!agreed) return;
    const made = await renew.mutateAsync().catch(() => undefined);
    if (!made) return;
    const { showRecoveryCodes } = await import('./recovery-codes.tsx');
    showRecoveryCodes(made.backup_codes);
  };
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>{say(text.recovery)}</div>
        <p className={classes.quiet}>{say(text.recoveryBody)}</p>
      </div>
      <Dot tone={left < few ? 'warn' : 'good'}>{say(text.recoveryLeft, { count: left })}</Dot>
      <Button size="xs" variant="default" loading={renew.isPending} onClick={() => void ask()}>
        {say(text.renew)}
      </Button>
    </li>
  );
}

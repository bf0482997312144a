import { Button } from '@mantine/core';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Dot } from '../../../ui/dot.tsx';
import classes from '../base/personal.module.css';
import { useRenewCodes } from './queries.ts';
import { text } from './text.ts';

/** Below this number a warning is shown. */
const minCodes = 3;

/** The number of remaining recovery codes, and a button to create new ones. */
export function RecoveryRow({ left }: { left: number }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const renew = useRenewCodes();
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.renewTitle),
      body: t(text.renewBody),
      action: t(text.renew),
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
        <div className={classes.itemName}>{t(text.recovery)}</div>
        <p className={classes.quiet}>{t(text.recoveryBody)}</p>
      </div>
      <Dot tone={left < minCodes ? 'warn' : 'good'}>{t(text.recoveryLeft, { count: left })}</Dot>
      <Button size="xs" variant="default" loading={renew.isPending} onClick={() => void ask()}>
        {t(text.renew)}
      </Button>
    </li>
  );
}

import { Button, Group } from '@mantine/core';
import type { PasskeyData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { deviceOf } from '../../../shared/device/device.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast, toastWhenDone } from '../../../shared/feedback/toast.ts';
import { hasPasskeys } from '../../../shared/passkey.ts';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/personal.module.css';
import { passkeysQuery, useAddPasskey, useRemovePasskey, useRenamePasskey } from './queries.ts';
import { text } from './text.ts';

/** The passkeys of the account with name and last use, and a button to add one. */
export function PasskeyRows() {
  const t = useTranslate();
  const { data } = useQuery(passkeysQuery);
  const isPossible = useStatus()?.passkey_login ?? false;
  const obstacle = !isPossible ? text.noAddress : hasPasskeys() ? undefined : text.noBrowser;
  return (
    <>
      <li className={classes.item}>
        <div className={classes.itemMain}>
          <div className={classes.itemName}>{t(text.passkeys)}</div>
          <p className={classes.quiet}>{t(text.passkeysBody)}</p>
          {obstacle && <p className={classes.quiet}>{t(obstacle)}</p>}
        </div>
        {!obstacle && <AddPasskey />}
      </li>
      {data?.passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
    </>
  );
}

function AddPasskey() {
  const t = useTranslate();
  const add = useAddPasskey();
  const run = async (name: string) => {
    const { backup_codes: codes } = await add.mutateAsync(name);
    toast.good(t(text.added));
    if (codes.length === 0) return;
    const { showRecoveryCodes } = await import('./recovery-codes.tsx');
    showRecoveryCodes(codes);
  };
  const open = () =>
    openLazyDialog({
      title: t(text.add),
      body: async (close) => {
        const { NamePasskey } = await import('./name-passkey.tsx');
        const device = deviceOf(navigator.userAgent);
        return <NamePasskey name={device} action={t(text.add)} run={run} onClose={close} />;
      },
    });
  return (
    <MutationButton size="xs" variant="default" onClick={() => void open()}>
      {t(text.add)}
    </MutationButton>
  );
}

function PasskeyRow({ passkey }: { passkey: PasskeyData }) {
  const t = useTranslate();
  const name = passkey.name || t(text.unnamed);
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>
          {name}
          {passkey.backed_up && <Tag>{t(text.synced)}</Tag>}
        </div>
        <p className={classes.quiet}>
          {t(text.since)} <Time at={passkey.created_time} /> ·{' '}
          {passkey.used_time > 0 ? (
            <>
              {t(text.lastUsed)} <Time at={passkey.used_time} relative />
            </>
          ) : (
            t(text.unused)
          )}
        </p>
      </div>
      <Group gap="xs">
        <RenameButton id={passkey.id} name={name} />
        <RemoveButton id={passkey.id} name={name} />
      </Group>
    </li>
  );
}

function RenameButton({ id, name }: { id: number; name: string }) {
  const t = useTranslate();
  const rename = useRenamePasskey();
  const title = t(text.renameOf, { name });
  const run = async (next: string) => {
    await rename.mutateAsync({ id, name: next });
    toast.good(t(text.renamed));
  };
  const open = () =>
    openLazyDialog({
      title,
      body: async (close) => {
        const { NamePasskey } = await import('./name-passkey.tsx');
        return <NamePasskey name={name} action={t(text.save)} run={run} onClose={close} />;
      },
    });
  return (
    <MutationButton size="xs" variant="default" aria-label={title} onClick={() => void open()}>
      {t(text.rename)}
    </MutationButton>
  );
}

function RemoveButton({ id, name }: { id: number; name: string }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const remove = useRemovePasskey();
  const title = t(text.removeOf, { name });
  const ask = async () => {
    const question = {
      title: `${title}?`,
      body: t(text.removeBody),
      action: t(text.remove),
      danger: true,
    };
    if (await confirm(question)) await toastWhenDone(remove.mutateAsync(id), t(text.removed));
  };
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={title}
      loading={remove.isPending}
      onClick={() => void ask()}
    >
      {t(text.remove)}
    </Button>
  );
}

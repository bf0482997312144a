import { Button, Group } from '@mantine/core';
import type { PasskeyData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useStatus } from '../../../lib/api/status.ts';
import { useSay } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { deviceOf } from '../../../shared/device/device.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { hasPasskeys } from '../../../shared/passkey/passkey.ts';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/personal.module.css';
import { passkeysQuery, useAddPasskey, useRemovePasskey, useRenamePasskey } from './queries.ts';
import { text } from './text.ts';

/** The passkeys of the account, each with its name and last use, and a way to further ones. */
export function PasskeyRows() {
  const say = useSay();
  const { data } = useQuery(passkeysQuery);
  return (
    <>
      <li className={classes.item}>
        <div className={classes.itemMain}>
          <div className={classes.itemName}>{say(text.passkeys)}</div>
          <p className={classes.quiet}>{say(text.passkeysBody)}</p>
        </div>
        <AddPasskey />
      </li>
      {data?.passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
    </>
  );
}

function AddPasskey() {
  const say = useSay();
  const isPossible = useStatus()?.passkey_login ?? false;
  const add = useAddPasskey();
  if (!isPossible) return <p className={classes.quiet}>{say(text.noAddress)}</p>;
  if (!hasPasskeys()) return <p className={classes.quiet}>{say(text.noBrowser)}</p>;
  const run = async (name: string) => {
    const { backup_codes: codes } = await add.mutateAsync(name);
    toast.good(say(text.added));
    if (codes.length === 0) return;
    const { showRecoveryCodes } = await import('./recovery-codes.tsx');
    showRecoveryCodes(codes);
  };
  const open = () =>
    openLazyDialog({
      title: say(text.add),
      body: async (close) => {
        const { NamePasskey } = await import('./name-passkey.tsx');
        const device = deviceOf(navigator.userAgent);
        return <NamePasskey name={device} action={say(text.add)} run={run} onClose={close} />;
      },
    });
  return (
    <MutationButton size="xs" variant="default" onClick={() => void open()}>
      {say(text.add)}
    </MutationButton>
  );
}

function PasskeyRow({ passkey }: { passkey: PasskeyData }) {
  const say = useSay();
  const name = passkey.name || say(text.unnamed);
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>
          {name}
          {passkey.backed_up && <Tag>{say(text.synced)}</Tag>}
        </div>
        <p className={classes.quiet}>
          {say(text.since)} <Time at={passkey.created_time} /> ·{' '}
          {passkey.used_time > 0 ? (
            <>
              {say(text.lastUsed)} <Time at={passkey.used_time} relative />
            </>
          ) : (
            say(text.unused)
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
  const say = useSay();
  const rename = useRenamePasskey();
  const title = say(text.renameOf, { name });
  const run = async (next: string) => {
    await rename.mutateAsync({ id, name: next });
    toast.good(say(text.renamed));
  };
  const open = () =>
    openLazyDialog({
      title,
      body: async (close) => {
        const { NamePasskey } = await import('./name-passkey.tsx');
        return <NamePasskey name={name} action={say(text.save)} run={run} onClose={close} />;
      },
    });
  return (
    <MutationButton size="xs" variant="default" aria-label={title} onClick={() => void open()}>
      {say(text.rename)}
    </MutationButton>
  );
}

function RemoveButton({ id, name }: { id: number; name: string }) {
  const say = useSay();
  const confirm = useConfirm();
  const remove = useRemovePasskey();
  const title = say(text.removeOf, { name });
  const ask = async () => {
    const question = {
      title: `${title}?`,
      body: say(text.removeBody),
      action: say(text.remove),
      danger: true,
    };
    if (await confirm(question)) remove.mutate(id, { onSuccess: () => toast.good(say(text.removed)) });
  };
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={title}
      loading={remove.isPending}
      onClick={() => void ask()}
    >
      {say(text.remove)}
    </Button>
  );
}

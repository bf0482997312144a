import { Button, Stack } from '@mantine/core';
import { role, type UserData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { useLeave } from '../../../shared/use-log-out.ts';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { deleteSelf } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { asksPassword } from '../rules/password.ts';

/** Deletes the account, confirmed by its name and the password. Root cannot be deleted: the site needs an operator. */
export function RemovalPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const leave = useLeave();
  const ask = () =>
    openLazyDialog({
      title: t(text.removeTitle, { name: self.username }),
      body: async (close) => {
        const { AskPassword } = await import('./ask-password.tsx');
        return (
          <AskPassword
            body={t(text.removalHint)}
            action={t(text.remove)}
            danger
            typed={{ value: self.username, label: t(text.typeName, { name: self.username }) }}
            run={async (password) => {
              await deleteSelf(password);
              await leave(t(text.removed));
            }}
            hasPassword={asksPassword(self)}
            onClose={close}
          />
        );
      },
    });
  const isRoot = self.role >= role.root;
  return (
    <Panel title={t(text.removal)}>
      <Stack gap="md">
        <p className={classes.quiet}>{t(isRoot ? text.removalRoot : text.removalHint)}</p>
        {!isRoot && (
          <div className={classes.foot}>
            <Button variant="outline" color="red.8" c="var(--tg-bad)" onClick={() => void ask()}>
              {t(text.remove)}
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

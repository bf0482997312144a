import { Button, Stack } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { SecretField } from '../../../shared/copy/secret-field.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { makeAccessToken } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { asksPassword } from '../rules/password.ts';

/** Makes the token for the management API; it is kept nowhere, so it is shown until the page is left. */
export function AccessTokenPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const [token, setToken] = useState('');
  const ask = () =>
    openLazyDialog({
      title: t(text.makeToken),
      body: async (close) => {
        const { AskPassword } = await import('./ask-password.tsx');
        return (
          <AskPassword
            body={t(text.makeTokenBody)}
            action={t(text.makeToken)}
            run={async (password) => setToken(await makeAccessToken(password))}
            hasPassword={asksPassword(self)}
            onClose={close}
          />
        );
      },
    });
  return (
    <Panel title={t(text.accessToken)}>
      <Stack gap="md">
        <p className={classes.quiet}>{t(text.tokenHint)}</p>
        {token !== '' && (
          <>
            <Notice tone="good" role="status">
              {t(text.tokenMade, { id: self.id })}
            </Notice>
            <SecretField label={t(text.accessToken)} value={token} />
          </>
        )}
        <div className={classes.foot}>
          <Button variant="default" onClick={() => void ask()}>
            {t(text.makeToken)}
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}

import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from '../../../lib/i18n.ts';
import { factorQuery } from '../../../shared/reauthentication/queries.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { AppRow } from './app-row.tsx';
import { PasskeyRows } from './passkey-rows.tsx';
import { RecoveryRow } from './recovery-row.tsx';
import { text } from './text.ts';

/** The second factors of the account: authenticator app, passkeys, and recovery codes. */
export function TwoStepPanel() {
  const t = useTranslate();
  const { data: factors, error, refetch } = useQuery(factorQuery);
  return (
    <Panel title={t(text.title)} hint={t(text.hint)}>
      {error && factors === undefined ? (
        <LoadError error={error} onRetry={refetch} />
      ) : factors === undefined ? (
        <Skeleton height={140} />
      ) : (
        <Stack gap="md">
          {factors.required && <Notice tone="warn">{t(text.required)}</Notice>}
          <ul className={classes.list}>
            <AppRow factors={factors} />
            <PasskeyRows />
            {(factors.enabled || factors.passkeys > 0) && (
              <RecoveryRow left={factors.backup_codes_remaining} />
            )}
          </ul>
        </Stack>
      )}
    </Panel>
  );
}

import { Button, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useStatus } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { hasPasskeys, passkeyErrorMessage } from '../../shared/passkey.ts';
import { Notice } from '../../ui/notice.tsx';
import { safeNext, useAfterSignIn } from './after-sign-in.ts';
import { usePasskey } from './factor-queries.ts';
import { factorText } from './factor-text.ts';

/** Signs in with only a passkey, if the browser supports passkeys. */
export function PasskeySignIn({ next }: { next: string }) {
  const t = useTranslate();
  const address = useStatus()?.server_address ?? '';
  const passkey = usePasskey(false);
  const goOn = useAfterSignIn();
  if (!hasPasskeys()) return null;
  return (
    <Stack gap="xs" mt="sm">
      {passkey.isError && (
        <Notice tone="bad" role="alert">
          {passkeyErrorMessage(passkey.error, t, address)}
        </Notice>
      )}
      <Button
        variant="default"
        fullWidth
        leftSection={<KeyRound size={15} />}
        loading={passkey.isPending}
        onClick={() =>
          passkey.mutate(undefined, { onSuccess: (user) => goOn(user, safeNext(next, '/token')) })
        }
      >
        {t(factorText.passkeySignIn)}
      </Button>
    </Stack>
  );
}

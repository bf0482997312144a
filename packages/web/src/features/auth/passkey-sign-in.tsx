import { Button, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useStatus } from '../../lib/api/status.ts';
import { useSay } from '../../lib/i18n.ts';
import { hasPasskeys, passkeyWords } from '../../shared/passkey/passkey.ts';
import { Notice } from '../../ui/notice.tsx';
import { safeNext, useAfterSignIn } from './after-sign-in.ts';
import { usePasskey } from './queries.ts';
import { text } from './text.ts';

/** Signs in with a passkey alone, where site and browser know passkeys. */
export function PasskeySignIn({ next }: { next: string }) {
  const say = useSay();
  const status = useStatus();
  const passkey = usePasskey(false);
  const goOn = useAfterSignIn();
  if (!status?.passkey_login || !hasPasskeys()) return null;
  return (
    <Stack gap="xs" mt="sm">
      {passkey.isError && (
        <Notice tone="bad" role="alert">
          {passkeyWords(passkey.error, say, status.server_address)}
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
        {say(text.passkeySignIn)}
      </Button>
    </Stack>
  );
}

import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { passkeyApi, secondFactorApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { hasPasskeys, passkeyErrorMessage, getPasskey } from '../passkey.ts';
import { factorQuery } from './queries.ts';
import { CodeField } from './code-field.tsx';
import { reauthenticationText as text } from './text.ts';

interface ReauthenticationFormProps {
  kind: 'factor' | 'password';
  onDone: () => void;
  onClose: () => void;
}

/** The state of the form and its submission; a refusal becomes a message. */
function useReauthentication({ kind, onDone }: ReauthenticationFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const address = useStatus()?.server_address ?? '';
  const [given, setGiven] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState<'' | 'given' | 'passkey'>('');
  const attempt = async (what: 'given' | 'passkey', prove: () => Promise<unknown>) => {
    setProblem(null);
    setPending(what);
    try {
      await prove();
      onDone();
    } catch (error) {
      setProblem(what === 'passkey' ? passkeyErrorMessage(error, t, address) : errorMessage(error, language));
      setPending('');
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // In the React tree this form may be inside another one, which must not be submitted.
    event.stopPropagation();
    if (given.trim() === '') return setProblem(t(text.required));
    const method = kind === 'password' ? 'password' : '2fa';
    void attempt('given', () => call(secondFactorApi.verify, { method, code: given }));
  };
  const byPasskey = () =>
    void attempt('passkey', async () =>
      call(passkeyApi.finishProof, await getPasskey(await call(passkeyApi.beginProof, {}))),
    );
  return { given, setGiven, problem, pending, submit, byPasskey };
}

/** Asks for a code, a passkey, or the password if the account has neither. */
export function ReauthenticationForm(props: ReauthenticationFormProps) {
  const { kind, onClose } = props;
  const t = useTranslate();
  const form = useReauthentication(props);
  const { data: factors } = useQuery({ ...factorQuery, enabled: kind === 'factor' });
  if (kind === 'factor' && factors === undefined) return <Skeleton height={160} />;
  const field = {
    value: form.given,
    onChange: (event: { currentTarget: { value: string } }) => form.setGiven(event.currentTarget.value),
  };
  return (
    <form noValidate onSubmit={form.submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(text.factorBody)}
        </Text>
        {(factors?.passkeys ?? 0) > 0 && hasPasskeys() && (
          <Button
            variant="default"
            leftSection={<KeyRound size={15} />}
            loading={form.pending === 'passkey'}
            onClick={form.byPasskey}
          >
            {t(text.passkey)}
          </Button>
        )}
        {kind === 'password' ? (
          <PasswordField label={t(text.password)} autoComplete="current-password" data-autofocus {...field} />
        ) : (
          <CodeField hasApp={factors?.enabled ?? true} {...field} />
        )}
        {form.problem !== null && (
          <Notice tone="bad" role="alert">
            {form.problem}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit" loading={form.pending === 'given'}>
            {t(text.confirm)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

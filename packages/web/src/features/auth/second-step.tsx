import { Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { hasPasskeys, passkeyErrorMessage } from '../../shared/passkey.ts';
import { CodeField } from '../../shared/reauthentication/code-field.tsx';
import { reauthenticationText } from '../../shared/reauthentication/text.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthCard } from './auth-card.tsx';
import { safeNext, type StepMethods } from './after-sign-in.ts';
import { useCodeStep, usePasskey } from './factor-queries.ts';
import { factorText } from './factor-text.ts';
import { text } from './text.ts';

interface SecondStepProps {
  proofs: StepMethods;
  /** The requested page. */
  next: string;
}

/** Both methods of the second step; a refused one shows its error. */
function useSecondStep(next: string) {
  const t = useTranslate();
  const language = useLanguage();
  const navigate = useNavigate();
  const address = useStatus()?.server_address ?? '';
  const byCode = useCodeStep();
  const passkey = usePasskey(true);
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim() === '' ? t(text.required) : null) },
  });
  const onSuccess = () => {
    toast.good(t(text.welcome));
    // `href`, because it may have a query or a hash.
    void navigate({ href: safeNext(next, '/token'), replace: true });
  };
  const submit = form.onSubmit(({ code }) => {
    passkey.reset();
    byCode.mutate(code.trim(), { onSuccess, onError: () => form.setFieldValue('code', '') });
  });
  const show = () => {
    byCode.reset();
    passkey.mutate(undefined, { onSuccess });
  };
  const problem = byCode.isError
    ? errorMessage(byCode.error, language)
    : passkey.isError
      ? passkeyErrorMessage(passkey.error, t, address)
      : '';
  return { form, submit, show, problem, byCode, passkey };
}

/** The second step: asks for a second factor after the password. */
export function SecondStep({ proofs, next }: SecondStepProps) {
  const t = useTranslate();
  const { form, submit, show, problem, byCode, passkey } = useSecondStep(next);
  return (
    <AuthCard title={t(factorText.secondStepTitle)}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text>{t(factorText.secondStepBody)}</Text>
          {problem !== '' && (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          {proofs !== 'code' && hasPasskeys() && (
            <Button
              variant="default"
              fullWidth
              size="md"
              leftSection={<KeyRound size={16} />}
              loading={passkey.isPending}
              onClick={show}
            >
              {t(reauthenticationText.passkey)}
            </Button>
          )}
          <CodeField hasApp={proofs !== 'passkey'} {...form.getInputProps('code')} />
          <Button type="submit" fullWidth size="md" loading={byCode.isPending}>
            {t(reauthenticationText.confirm)}
          </Button>
          <Link to="/login" search={next ? { next } : {}}>
            {t(text.backToLogin)}
          </Link>
        </Stack>
      </form>
    </AuthCard>
  );
}

import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthCard } from './auth-card.tsx';
import { useHumanCheck } from '../../shared/human-check/human-check.tsx';
import { checkText } from '../../shared/human-check/text.ts';
import { useAskReset } from './queries.ts';
import { text } from './text.ts';
import { mailText } from '../../shared/email-code/text.ts';
import { useCountdown } from '../../shared/email-code/use-countdown.ts';

/** Requests a link that resets a forgotten password. */
export function Page() {
  const t = useTranslate();
  return (
    <AuthCard title={t(text.resetTitle)} foot={<Link to="/login">{t(text.backToLogin)}</Link>}>
      <ResetForm />
    </AuthCard>
  );
}

function ResetForm() {
  const t = useTranslate();
  const language = useLanguage();
  const ask = useAskReset();
  const check = useHumanCheck();
  const countdown = useCountdown();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (value) => (value.trim() === '' ? t(text.required) : null) },
  });
  const submit = form.onSubmit(({ email }) => {
    if (check.isPending) return toast.bad(t(checkText.checkPending));
    ask.mutate(
      { email: email.trim(), turnstile: check.answer },
      { onSuccess: () => countdown.start(), onSettled: () => check.renew() },
    );
  });
  const waits = countdown.left > 0;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {ask.isError && (
          <Notice tone="bad" role="alert">
            {errorMessage(ask.error, language)}
          </Notice>
        )}
        {ask.isSuccess && (
          <Notice tone="good" role="status">
            {t(text.resetSent)}
          </Notice>
        )}
        <TextInput
          label={t(mailText.email)}
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        {check.widget}
        <Button type="submit" fullWidth size="md" loading={ask.isPending} disabled={waits}>
          {waits ? t(mailText.resendIn, { seconds: countdown.left }) : t(text.resetSubmit)}
        </Button>
      </Stack>
    </form>
  );
}

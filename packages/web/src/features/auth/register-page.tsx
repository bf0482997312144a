import { product } from '@tollgate/contract';
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate, type Translate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { AuthCard } from './auth-card.tsx';
import { EmailCode } from '../../shared/email-code/email-code.tsx';
import { useHumanCheck } from '../../shared/human-check/human-check.tsx';
import { checkText } from '../../shared/human-check/text.ts';
import { OtherSites } from './lazy-other-sites.tsx';
import { useRegister } from './queries.ts';
import { text } from './text.ts';

const search = { aff: textParam(), next: textParam() };

export function Page() {
  const t = useTranslate();
  const status = useStatus();
  const [{ aff, next }] = useUrlState(search);
  const closed = status !== undefined && !(status.register_enabled && status.password_register_enabled);
  return (
    <AuthCard
      title={t(text.registerTitle, { name: status?.system_name || product.name })}
      foot={
        <>
          {t(text.haveAccount)}{' '}
          <Link to="/login" search={{ next }}>
            {t(text.login)}
          </Link>
        </>
      }
    >
      {closed ? <Notice tone="warn">{t(text.closed)}</Notice> : <RegisterForm />}
      {status?.register_enabled && <OtherSites aff={aff} next={next} />}
    </AuthCard>
  );
}

/** Validation of the fields; the server checks them again. */
const rules = (t: Translate, byMail: boolean) => ({
  username: (value: string) => (value.trim() === '' ? t(text.required) : null),
  password: (value: string) => (value.length < 8 ? t(text.tooShort) : null),
  password2: (value: string, values: { password: string }) =>
    value === values.password ? null : t(text.mismatch),
  email: (value: string) => (byMail && value.trim() === '' ? t(text.required) : null),
  code: (value: string) => (byMail && value.trim() === '' ? t(text.required) : null),
});

/** The fields and their submission. */
function useRegisterForm(byMail: boolean) {
  const t = useTranslate();
  const navigate = useNavigate();
  const [{ aff, next }] = useUrlState(search);
  const register = useRegister();
  const check = useHumanCheck();
  const form = useForm({
    initialValues: { username: '', password: '', password2: '', email: '', code: '' },
    validate: rules(t, byMail),
    validateInputOnBlur: true,
  });

  const submit = form.onSubmit((values) => {
    if (check.isPending) return toast.bad(t(checkText.checkPending));
    register.mutate(
      {
        username: values.username.trim(),
        password: values.password,
        password2: values.password2,
        aff_code: aff,
        turnstile: check.answer,
        ...(byMail && { email: values.email.trim(), verification_code: values.code.trim() }),
      },
      {
        onSuccess: () => {
          toast.good(t(text.registered));
          void navigate({ to: '/login', search: { next } });
        },
        onError: () => check.renew(),
      },
    );
  });
  return { form, register, check, submit };
}

function RegisterForm() {
  const t = useTranslate();
  const language = useLanguage();
  const byMail = useStatus()?.email_verification ?? false;
  const { form, register, check, submit } = useRegisterForm(byMail);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {register.isError && (
          <Notice tone="bad" role="alert">
            {errorMessage(register.error, language)}
          </Notice>
        )}
        <TextInput
          label={t(text.username)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <PasswordField
          label={t(text.password)}
          description={t(text.passwordHint)}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField
          label={t(text.passwordAgain)}
          autoComplete="new-password"
          {...form.getInputProps('password2')}
        />
        {byMail && (
          <EmailCode
            address={form.values.email}
            email={form.getInputProps('email')}
            code={form.getInputProps('code')}
            check={check}
          />
        )}
        {check.widget}
        <Button type="submit" fullWidth size="md" loading={register.isPending}>
          {t(text.register)}
        </Button>
      </Stack>
    </form>
  );
}

import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { wordsOf } from '../../lib/api/api-error.ts';
import { useLanguage, useSay, type Say } from '../../lib/i18n.ts';
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
  const say = useSay();
  const status = useStatus();
  const [{ aff, next }] = useUrlState(search);
  const closed = status !== undefined && !(status.register_enabled && status.password_register_enabled);
  return (
    <AuthCard
      title={say(text.registerTitle, { name: status?.system_name || 'Tollgate' })}
      foot={
        <>
          {say(text.haveAccount)}{' '}
          <Link to="/login" search={{ next }}>
            {say(text.login)}
          </Link>
        </>
      }
    >
      {closed ? <Notice tone="warn">{say(text.closed)}</Notice> : <RegisterForm />}
      {status?.register_enabled && <OtherSites aff={aff} next={next} />}
    </AuthCard>
  );
}

/** What a field may hold; the server checks them again. */
const rules = (say: Say, byMail: boolean) => ({
  username: (value: string) => (value.trim() === '' ? say(text.required) : null),
  password: (value: string) => (value.length < 8 ? say(text.tooShort) : null),
  password2: (value: string, values: { password: string }) =>
    value === values.password ? null : say(text.mismatch),
  email: (value: string) => (byMail && value.trim() === '' ? say(text.required) : null),
  code: (value: string) => (byMail && value.trim() === '' ? say(text.required) : null),
});

/** The fields and what sending them does. */
function useRegisterForm(byMail: boolean) {
  const say = useSay();
  const navigate = useNavigate();
  const [{ aff, next }] = useUrlState(search);
  const register = useRegister();
  const check = useHumanCheck();
  const form = useForm({
    initialValues: { username: '', password: '', password2: '', email: '', code: '' },
    validate: rules(say, byMail),
    validateInputOnBlur: true,
  });

  const submit = form.onSubmit((values) => {
    if (check.isPending) return toast.bad(say(checkText.checkPending));
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
          toast.good(say(text.registered));
          void navigate({ to: '/login', search: { next } });
        },
        onError: () => check.renew(),
      },
    );
  });
  return { form, register, check, submit };
}

function RegisterForm() {
  const say = useSay();
  const language = useLanguage();
  const byMail = useStatus()?.email_verification ?? false;
  const { form, register, check, submit } = useRegisterForm(byMail);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {register.isError && (
          <Notice tone="bad" role="alert">
            {wordsOf(register.error, language)}
          </Notice>
        )}
        <TextInput
          label={say(text.username)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <PasswordField
          label={say(text.password)}
          description={say(text.passwordHint)}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField
          label={say(text.passwordAgain)}
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
          {say(text.register)}
        </Button>
      </Stack>
    </form>
  );
}

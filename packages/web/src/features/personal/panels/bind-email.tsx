import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../../../lib/api/api-error.ts';
import { useLanguage, useSay } from '../../../lib/i18n.ts';
import { ChangeButton } from '../../../shared/demo/change-button.tsx';
import { EmailCode } from '../../../shared/email-code/email-code.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useHumanCheck } from '../../../shared/human-check/human-check.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { useBindEmail } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface BindEmailProps {
  hasPassword: boolean;
  onClose: () => void;
}

function useBindForm(hasPassword: boolean) {
  const say = useSay();
  return useForm({
    initialValues: { email: '', code: '', password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? say(text.emailRequired) : null),
      code: (value) => (value.trim() === '' ? say(text.codeRequired) : null),
      password: (value) => (hasPassword && value === '' ? say(text.passwordRequired) : null),
    },
  });
}

/** Binds an address by the code that was sent there; the password is asked for, since it is a way back in. */
export function BindEmail({ hasPassword, onClose }: BindEmailProps) {
  const say = useSay();
  const language = useLanguage();
  const check = useHumanCheck();
  const form = useBindForm(hasPassword);
  const bind = useBindEmail(() => {
    toast.good(say(text.emailBound));
    onClose();
  });
  const submit = form.onSubmit(({ email, code, password }) =>
    bind.mutate({ email: email.trim(), code: code.trim(), password }),
  );
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {say(text.bindEmailBody)}
        </Text>
        <EmailCode
          address={form.values.email}
          email={form.getInputProps('email')}
          code={form.getInputProps('code')}
          check={check}
        />
        {hasPassword && (
          <PasswordField
            label={say(text.currentPassword)}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
        )}
        {check.widget}
        {bind.error && (
          <Notice tone="bad" role="alert">
            {wordsOf(bind.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {say(text.cancel)}
          </Button>
          <ChangeButton type="submit" loading={bind.isPending}>
            {say(text.bind)}
          </ChangeButton>
        </Group>
      </Stack>
    </form>
  );
}

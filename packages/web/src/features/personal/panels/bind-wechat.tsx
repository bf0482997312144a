import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../../../lib/api/api-error.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useLanguage, useSay } from '../../../lib/i18n.ts';
import { ChangeButton } from '../../../shared/demo/change-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Notice } from '../../../ui/notice.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { useBindWechat } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface BindWechatProps {
  hasPassword: boolean;
  onClose: () => void;
}

/** Binds WeChat by the code that the official account answers with. */
export function BindWechat({ hasPassword, onClose }: BindWechatProps) {
  const say = useSay();
  const language = useLanguage();
  const picture = useStatus()?.wechat_qrcode ?? '';
  const bind = useBindWechat(() => {
    toast.good(say(text.boundDone));
    onClose();
  });
  const form = useForm({
    initialValues: { code: '', password: '' },
    validate: {
      code: (value) => (value.trim() === '' ? say(text.codeRequired) : null),
      password: (value) => (hasPassword && value === '' ? say(text.passwordRequired) : null),
    },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ code, password }) => bind.mutate({ code: code.trim(), password }))}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {say(text.bindWechatBody)}
        </Text>
        {picture !== '' && <img src={picture} alt="" style={{ maxWidth: '100%' }} />}
        <TextInput
          label={say(text.wechatCode)}
          autoComplete="one-time-code"
          {...form.getInputProps('code')}
        />
        {hasPassword && (
          <PasswordField
            label={say(text.currentPassword)}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
        )}
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

import { TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import type { UserForm } from './form.ts';
import { formText } from './form-text.ts';
import { useCreateUser } from '../base/queries.ts';
import { useUserForm } from './use-user-form.ts';

interface CreateDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** Makes an ordinary user. */
export function CreateDrawer({ opened, onClose }: CreateDrawerProps) {
  const t = useTranslate();
  const create = useCreateUser();
  const form = useUserForm(true);
  const { reset } = form;
  useEffect(() => {
    if (opened) reset();
  }, [opened, reset]);

  const save = async ({ username, displayName, password }: UserForm) => {
    await create.mutateAsync({
      username: username.trim(),
      display_name: displayName.trim(),
      password,
    });
    toast.good(t(formText.created));
    onClose();
  };

  return (
    <FormDrawer
      opened={opened}
      title={t(formText.createTitle)}
      action={t(formText.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label={t(formText.username)}
        withAsterisk
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('username')}
      />
      <TextInput
        label={t(formText.displayName)}
        description={t(formText.displayNameHint)}
        autoComplete="off"
        {...form.getInputProps('displayName')}
      />
      <PasswordField
        label={t(formText.password)}
        description={t(formText.passwordHint)}
        withAsterisk
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
    </FormDrawer>
  );
}

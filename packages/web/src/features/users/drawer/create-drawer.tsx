import { TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { useSay } from '../../../lib/i18n.ts';
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
  const say = useSay();
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
    toast.good(say(formText.created));
    onClose();
  };

  return (
    <FormDrawer
      opened={opened}
      title={say(formText.createTitle)}
      action={say(formText.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label={say(formText.username)}
        withAsterisk
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('username')}
      />
      <TextInput
        label={say(formText.displayName)}
        description={say(formText.displayNameHint)}
        autoComplete="off"
        {...form.getInputProps('displayName')}
      />
      <PasswordField
        label={say(formText.password)}
        description={say(formText.passwordHint)}
        withAsterisk
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
    </FormDrawer>
  );
}

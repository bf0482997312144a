import { TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { userApi } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { fundText } from '../fund/text.ts';
import type { UserForm } from './form.ts';
import { formText } from './form-text.ts';
import { useAdjustBalance, useCreateUser } from '../base/queries.ts';
import { useUserForm } from './use-user-form.ts';

interface CreateDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** The id of the account with this name. */
async function findUser(username: string): Promise<number> {
  const { items } = await call(userApi.search, { keyword: username });
  const found = items.find((user) => user.username === username);
  if (found === undefined) throw new Error(username);
  return found.id;
}

/** Creates an ordinary user with an initial credit. */
export function CreateDrawer({ opened, onClose }: CreateDrawerProps) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const create = useCreateUser();
  const fund = useAdjustBalance();
  const form = useUserForm(true);
  const { reset } = form;
  useEffect(() => {
    if (opened) reset();
  }, [opened, reset]);

  const save = async ({ username, displayName, password, balance, reason }: UserForm) => {
    const name = username.trim();
    await create.mutateAsync({ username: name, display_name: displayName.trim(), password });
    onClose();
    if (Number(balance) === 0) return toast.good(t(formText.created));
    try {
      await fund.mutateAsync({
        id: await findUser(name),
        mode: 'add',
        value: Number(balance),
        reason: reason.trim() || t(fundText.paid),
      });
      return toast.good(t(formText.createdFunded, { money: formatMoney(Number(balance), display) }));
    } catch (error) {
      return toast.bad(t(formText.notFunded, { reason: errorMessage(error, language) }));
    }
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
      <QuotaField label={t(formText.balance)} {...form.getInputProps('balance')} />
      {Number(form.values.balance) > 0 && (
        <TextInput
          label={t(fundText.reason)}
          description={t(fundText.reasonHint)}
          placeholder={t(fundText.paid)}
          maxLength={255}
          {...form.getInputProps('reason')}
        />
      )}
    </FormDrawer>
  );
}

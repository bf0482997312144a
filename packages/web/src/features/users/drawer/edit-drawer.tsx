import { Button, Group, Select, Skeleton, Stack, Tabs, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ManagedUserData, role } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { LazyBudgets } from '../../../shared/budgets/lazy-budgets.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { ExportButton } from '../../../shared/personal-data/export-button.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { changesOf, emptyUserForm, formOf, maxRemark, type UserForm } from './form.ts';
import { formText } from './form-text.ts';
import { useResetFactors, useUpdateUser } from '../base/queries.ts';
import { groupsQuery } from '../../../shared/group-tag/groups-query.ts';
import { historyText } from '../history/text.ts';
import { useUserForm } from './use-user-form.ts';
import { Bindings, UserFacts } from './user-facts.tsx';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { Dot } from '../../../ui/dot.tsx';
import { isBelow } from '../base/permissions.ts';

/** Whether a user signs in with two steps, and a reset for users who lost their device. */
function TwoStep({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const actor = useCurrentUser();
  const confirm = useConfirm();
  const reset = useResetFactors();
  const ask = async () => {
    const agreed = await confirm({
      title: t(formText.resetFactorTitle, { name: user.username }),
      body: t(formText.resetFactorBody),
      action: t(formText.resetFactor),
      danger: true,
    });
    if (agreed) reset.mutate(user.id, { onSuccess: () => toast.good(t(formText.factorReset)) });
  };
  return (
    <Group gap="sm" justify="space-between">
      <Dot tone={user.two_factor ? 'good' : 'idle'}>
        {t(user.two_factor ? formText.twoStepOn : formText.twoStepOff)}
      </Dot>
      {user.two_factor && isBelow(actor, user) && (
        <Button variant="default" size="xs" loading={reset.isPending} onClick={() => void ask()}>
          {t(formText.resetFactor)}
        </Button>
      )}
    </Group>
  );
}

const UserHistory = lazy(async () => ({
  default: (await import('../history/user-history.tsx')).UserHistory,
}));

interface EditDrawerProps {
  opened: boolean;
  user: ManagedUserData;
  onClose: () => void;
}

/** Shows a user and edits the fields that an administrator decides. */
export function EditDrawer({ opened, user, onClose }: EditDrawerProps) {
  const t = useTranslate();
  const update = useUpdateUser();
  const before = useRef(emptyUserForm);
  const form = useUserForm(false);
  const { setInitialValues, reset } = form;
  const isOther = useRef<number>(undefined);
  useEffect(() => {
    if (!opened) isOther.current = undefined;
    // An update of the same user, such as a new balance, does not discard the input.
    else if (isOther.current !== user.id) {
      isOther.current = user.id;
      before.current = formOf(user);
      setInitialValues(before.current);
      reset();
    }
  }, [opened, user, setInitialValues, reset]);

  const save = async (values: UserForm) => {
    const changes = changesOf(values, before.current);
    if (Object.keys(changes).length > 0) await update.mutateAsync({ id: user.id, ...changes });
    toast.good(t(formText.saved));
    onClose();
  };

  return (
    <FormDrawer
      opened={opened}
      title={t(formText.editTitle, { name: user.username })}
      action={t(formText.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <Tabs defaultValue="account" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="account">{t(historyText.account)}</Tabs.Tab>
          <Tabs.Tab value="history">{t(historyText.history)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="account">
          <Account user={user} form={form} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Suspense fallback={<Skeleton height={200} />}>
            <UserHistory user={user} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </FormDrawer>
  );
}

interface AccountProps {
  user: ManagedUserData;
  form: UseFormReturnType<UserForm>;
}

function Account({ user, form }: AccountProps) {
  const t = useTranslate();
  const actor = useCurrentUser();
  const isRoot = (actor?.role ?? 0) >= role.root;
  return (
    <Stack gap="lg">
      <UserFacts user={user} />
      <AccountFields form={form} />
      <FormSection title={t(formText.budgets)}>
        <LazyBudgets scope={{ user_id: user.id, team_id: 0, token_id: 0 }} mayAdd={isBelow(actor, user)} />
      </FormSection>
      <FormSection title={t(formText.security)}>
        <PasswordField
          label={t(formText.newPassword)}
          description={t(formText.newPasswordHint)}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
      </FormSection>
      <FormSection title={t(formText.twoStep)}>
        <TwoStep user={user} />
      </FormSection>
      <FormSection title={t(formText.bindings)}>
        <Bindings user={user} />
      </FormSection>
      {isRoot && (
        <FormSection title={t(formText.data)}>
          <ExportButton userId={user.id} />
        </FormSection>
      )}
    </Stack>
  );
}

function AccountFields({ form }: { form: UseFormReturnType<UserForm> }) {
  const t = useTranslate();
  const { data: groups = [] } = useQuery(groupsQuery);
  const { group } = form.values;
  return (
    <FormSection title={t(formText.account)}>
      <TextInput
        label={t(formText.username)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('username')}
      />
      <TextInput label={t(formText.displayName)} autoComplete="off" {...form.getInputProps('displayName')} />
      <Select
        label={t(formText.group)}
        description={t(formText.groupHint)}
        // A group that no longer has a ratio stays visible in its users.
        data={groups.includes(group) ? groups : [...groups, group]}
        allowDeselect={false}
        searchable
        {...form.getInputProps('group')}
      />
      <Textarea
        label={t(formText.remark)}
        description={t(formText.remarkHint)}
        autosize
        minRows={2}
        maxLength={maxRemark}
        {...form.getInputProps('remark')}
      />
    </FormSection>
  );
}

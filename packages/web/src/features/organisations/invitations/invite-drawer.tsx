import { NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { maxInvitationDays, teamRole, type NewTeamInvitation, type TeamData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { teamActions } from '../base/permissions.ts';
import { text as baseText } from '../base/text.ts';
import { useInvite } from './queries.ts';
import { invitationText as text } from './text.ts';

interface InviteDrawerProps {
  opened: boolean;
  team: TeamData;
  onInvited: (invitation: NewTeamInvitation) => void;
  onClose: () => void;
}

interface InviteForm extends Record<string, unknown> {
  how: 'name' | 'link';
  invitee: string;
  /** As text, because choices are. */
  role: string;
  days: number | string;
}

const blank: InviteForm = { how: 'name', invitee: '', role: String(teamRole.member), days: 7 };

const areDays = (days: number | string): boolean =>
  days !== '' && Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= maxInvitationDays;

function useInviteForm(opened: boolean) {
  const t = useTranslate();
  const form = useForm<InviteForm>({
    initialValues: blank,
    validate: {
      invitee: (value, { how }) => (how === 'name' && value.trim() === '' ? t(text.inviteeRequired) : null),
      days: (value) => (areDays(value) ? null : t(text.daysInvalid, { max: maxInvitationDays })),
    },
  });
  useFilledForm(form, { opened, row: undefined, id: () => '', valuesOf: () => blank });
  return form;
}

/** Invites a user by name, by mail, or by a link for anyone. */
export function InviteDrawer({ opened, team, onInvited, onClose }: InviteDrawerProps) {
  const t = useTranslate();
  const invite = useInvite();
  const form = useInviteForm(opened);
  const save = async ({ how, invitee, role, days }: InviteForm) =>
    onInvited(
      await invite.mutateAsync({
        id: team.id,
        invitee: how === 'name' ? invitee.trim() : '',
        role: Number(role),
        days: Number(days),
      }),
    );
  return (
    <FormDrawer
      opened={opened}
      title={t(text.formTitle)}
      action={t(text.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
      width={460}
    >
      <InviteeField form={form} />
      {teamActions(team).has('inviteManagers') && <RoleField form={form} />}
      <NumberInput
        label={t(text.days)}
        min={1}
        max={maxInvitationDays}
        allowDecimal={false}
        {...form.getInputProps('days')}
      />
    </FormDrawer>
  );
}

interface PartProps {
  form: UseFormReturnType<InviteForm>;
}

/** A user name or an address; none for a link that anyone may use. */
function InviteeField({ form }: PartProps) {
  const t = useTranslate();
  const { how } = form.values;
  return (
    <FormSection title={t(text.how)}>
      <SegmentedControl
        aria-label={t(text.how)}
        fullWidth
        data={[
          { value: 'name', label: t(text.byName) },
          { value: 'link', label: t(text.byLink) },
        ]}
        {...form.getInputProps('how')}
      />
      {how === 'name' ? (
        <TextInput
          label={t(text.inviteeLabel)}
          description={t(text.inviteeHint)}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          withAsterisk
          data-autofocus
          {...form.getInputProps('invitee')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t(text.linkHint)}
        </Text>
      )}
    </FormSection>
  );
}

/** Member or manager. */
function RoleField({ form }: PartProps) {
  const t = useTranslate();
  return (
    <FormSection title={t(text.role)}>
      <SegmentedControl
        aria-label={t(text.role)}
        fullWidth
        data={[
          { value: String(teamRole.member), label: t(baseText.member) },
          { value: String(teamRole.manager), label: t(baseText.manager) },
        ]}
        {...form.getInputProps('role')}
      />
    </FormSection>
  );
}

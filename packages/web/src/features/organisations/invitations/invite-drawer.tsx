import { NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { maxInvitationDays, teamRole, type NewTeamInvitation, type TeamData } from '@tollgate/contract';
import { useSay } from '../../../lib/i18n.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { mayIn } from '../base/may.ts';
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
  const say = useSay();
  const form = useForm<InviteForm>({
    initialValues: blank,
    validate: {
      invitee: (value, { how }) => (how === 'name' && value.trim() === '' ? say(text.inviteeRequired) : null),
      days: (value) => (areDays(value) ? null : say(text.daysInvalid, { max: maxInvitationDays })),
    },
  });
  useFilledForm(form, { opened, row: undefined, id: () => '', valuesOf: () => blank });
  return form;
}

/** Invites somebody by name, by mail, or by a link for anyone who has it. */
export function InviteDrawer({ opened, team, onInvited, onClose }: InviteDrawerProps) {
  const say = useSay();
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
      title={say(text.formTitle)}
      action={say(text.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
      width={460}
    >
      <Whom form={form} />
      {mayIn(team).has('inviteManagers') && <AsWhat form={form} />}
      <NumberInput
        label={say(text.days)}
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

/** A name or an address, or nobody in particular. */
function Whom({ form }: PartProps) {
  const say = useSay();
  const { how } = form.values;
  return (
    <FormSection title={say(text.how)}>
      <SegmentedControl
        aria-label={say(text.how)}
        fullWidth
        data={[
          { value: 'name', label: say(text.byName) },
          { value: 'link', label: say(text.byLink) },
        ]}
        {...form.getInputProps('how')}
      />
      {how === 'name' ? (
        <TextInput
          label={say(text.inviteeLabel)}
          description={say(text.inviteeHint)}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          withAsterisk
          data-autofocus
          {...form.getInputProps('invitee')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {say(text.linkHint)}
        </Text>
      )}
    </FormSection>
  );
}

/** Member or manager. */
function AsWhat({ form }: PartProps) {
  const say = useSay();
  return (
    <FormSection title={say(text.role)}>
      <SegmentedControl
        aria-label={say(text.role)}
        fullWidth
        data={[
          { value: String(teamRole.member), label: say(baseText.member) },
          { value: String(teamRole.manager), label: say(baseText.manager) },
        ]}
        {...form.getInputProps('role')}
      />
    </FormSection>
  );
}

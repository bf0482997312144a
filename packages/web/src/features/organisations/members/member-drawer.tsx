import { SegmentedControl, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  teamRole,
  type TeamData,
  type TeamMemberData,
  limitPeriods,
  type LimitPeriod,
} from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { LazyBudgets, LazyRunList } from '../../../shared/budgets/lazy-budgets.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { memberActions } from '../base/permissions.ts';
import { text as baseText } from '../base/text.ts';
import { useChangeMember } from './queries.ts';
import { membersText as text } from './text.ts';

interface MemberForm extends Record<string, unknown> {
  /** As text, because choices are. */
  role: string;
  period: LimitPeriod;
  /** Quota units; '' if empty. */
  quota: number | string;
}

/** Default limit in quota units: $10. */
const firstLimit = 5_000_000;

const isPeriod = (value: string): value is LimitPeriod => limitPeriods.some((period) => period === value);

export const formOf = ({ role, limit_period, limit_quota }: TeamMemberData): MemberForm => ({
  role: String(role),
  period: limit_period,
  quota: limit_period === '' ? firstLimit : limit_quota,
});

/** Whether an amount is a valid limit; zero blocks a member without removing them. */
export const isLimit = (quota: number | string): boolean =>
  quota !== '' && Number.isInteger(Number(quota)) && Number(quota) >= 0;

/** Only the changed fields, which are sent. */
export function changesOf(form: MemberForm, before: TeamMemberData) {
  const quota = form.period === '' ? 0 : Number(form.quota);
  const isNewLimit =
    form.period !== before.limit_period || (form.period !== '' && quota !== before.limit_quota);
  return {
    ...(Number(form.role) !== before.role && { role: Number(form.role) }),
    ...(isNewLimit && { limit: { period: form.period, quota } }),
  };
}

interface MemberDrawerProps {
  opened: boolean;
  team: TeamData;
  member: TeamMemberData | undefined;
  onClose: () => void;
}

const blank: MemberForm = { role: '', period: '', quota: '' };

/** Role and limit of a member. */
export function MemberDrawer({ opened, team, member, onClose }: MemberDrawerProps) {
  const t = useTranslate();
  const change = useChangeMember();
  const form = useForm<MemberForm>({
    initialValues: blank,
    validate: {
      quota: (value, { period }) => (period === '' || isLimit(value) ? null : t(text.amountInvalid)),
    },
  });
  const before = useFilledForm(form, {
    opened,
    row: member,
    id: (row) => row.user_id,
    valuesOf: (row) => (row ? formOf(row) : blank),
  });
  const save = async (values: MemberForm) => {
    const changes = before.current ? changesOf(values, before.current) : {};
    if (member && Object.keys(changes).length > 0)
      await change.mutateAsync({ id: team.id, user_id: member.user_id, ...changes });
    toast.good(t(text.saved));
    onClose();
  };
  return (
    <FormDrawer
      opened={opened}
      title={t(text.editTitle, { name: member?.username ?? '' })}
      action={t(text.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
      width={460}
    >
      {member && memberActions(team, member).has('role') && (
        <RoleSection role={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
      )}
      <FormSection title={t(text.period)}>
        <SegmentedControl
          aria-label={t(text.period)}
          fullWidth
          data={[
            { value: '', label: t(text.periodNone) },
            { value: 'month', label: t(text.periodMonth) },
            { value: 'total', label: t(text.periodTotal) },
          ]}
          value={form.values.period}
          onChange={(period) => isPeriod(period) && form.setFieldValue('period', period)}
        />
        <Text size="xs" c="dimmed">
          {t(text.periodHint)}
        </Text>
        {form.values.period !== '' && <QuotaField label={t(text.amount)} {...form.getInputProps('quota')} />}
      </FormSection>
      {member && (
        <FormSection title={t(text.budgets)}>
          <LazyBudgets scope={{ team_id: team.id, user_id: member.user_id }} mayAdd />
        </FormSection>
      )}
      {member && (
        <LazyRunList scope={{ username: member.username }} title={t(text.runs)} username={member.username} />
      )}
    </FormDrawer>
  );
}

interface RoleSectionProps {
  role: string;
  onChange: (role: string) => void;
}

/** Member or manager, with an explanation. */
function RoleSection({ role, onChange }: RoleSectionProps) {
  const t = useTranslate();
  const isManager = role === String(teamRole.manager);
  return (
    <FormSection title={t(text.role)}>
      <SegmentedControl
        aria-label={t(text.role)}
        fullWidth
        data={[
          { value: String(teamRole.member), label: t(baseText.member) },
          { value: String(teamRole.manager), label: t(baseText.manager) },
        ]}
        value={role}
        onChange={onChange}
      />
      <Text size="xs" c="dimmed">
        {t(isManager ? text.managerHint : text.memberHint)}
      </Text>
    </FormSection>
  );
}

import { NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxTeamName, type ManagedTeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from '../../../lib/i18n.ts';
import { LazyBudgets } from '../../../shared/budgets/lazy-budgets.tsx';
import { ChannelRuleFields, regionsProblem, tidyRegions } from '../../../shared/channel-rule.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { SearchSelect } from '../../../shared/search-select/search-select.tsx';
import { useManageTeam } from './queries.ts';
import { groupsQuery } from '../../../shared/group-tag/groups-query.ts';
import { allText as text } from './text.ts';

interface EditDrawerProps {
  opened: boolean;
  team: ManagedTeamData | undefined;
  onClose: () => void;
}

interface EditForm extends Record<string, unknown> {
  name: string;
  group: string;
  regions: string;
  noRetention: boolean;
  /** '' for no change. */
  owner: number | string;
}

const blank: EditForm = { name: '', group: '', regions: '', noRetention: false, owner: '' };
const isOwner = (owner: number | string) =>
  owner === '' || (Number.isInteger(Number(owner)) && Number(owner) > 0);

/** Only the changed fields, which are sent. */
const changesOf = ({ name, group, regions, noRetention, owner }: EditForm, before: ManagedTeamData) => ({
  ...(name.trim() !== before.name && { name: name.trim() }),
  ...(group !== before.group && { group }),
  ...(tidyRegions(regions) !== before.regions && { regions: tidyRegions(regions) }),
  ...(noRetention !== before.no_retention && { no_retention: noRetention }),
  ...(owner !== '' && Number(owner) !== before.owner_id && { owner_id: Number(owner) }),
});

/** Fields of an organisation that an administrator decides. */
export function EditDrawer({ opened, team, onClose }: EditDrawerProps) {
  const t = useTranslate();
  const manage = useManageTeam({ quiet: true });
  const { data: groups = [] } = useQuery(groupsQuery);
  const form = useForm<EditForm>({
    initialValues: blank,
    validate: {
      name: (value) => (value.trim() === '' ? t(text.nameRequired) : null),
      regions: (value) => regionsProblem(t, value),
      owner: (value) => (isOwner(value) ? null : t(text.ownerInvalid)),
    },
  });
  const before = useFilledForm(form, {
    opened,
    row: team,
    id: (row) => row.id,
    valuesOf: (row) =>
      row
        ? {
            name: row.name,
            group: row.group,
            regions: row.regions,
            noRetention: row.no_retention,
            owner: '',
          }
        : blank,
  });
  const save = async (values: EditForm) => {
    const changes = before.current ? changesOf(values, before.current) : {};
    if (team && Object.keys(changes).length > 0) await manage.mutateAsync({ id: team.id, ...changes });
    toast.good(t(text.saved));
    onClose();
  };
  return (
    <FormDrawer
      opened={opened}
      title={t(text.editOf, { name: team?.name ?? '' })}
      action={t(text.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
      width={460}
    >
      <TextInput label={t(text.name)} maxLength={maxTeamName} withAsterisk {...form.getInputProps('name')} />
      <SearchSelect
        label={t(text.group)}
        description={t(text.groupHint)}
        data={[...new Set([...groups, form.values.group].filter(Boolean))]}
        allowDeselect={false}
        {...form.getInputProps('group')}
      />
      <ChannelRuleFields
        regions={form.getInputProps('regions')}
        noRetention={form.getInputProps('noRetention', { type: 'checkbox' })}
      />
      <NumberInput
        label={t(text.owner)}
        description={t(text.ownerHint)}
        min={1}
        allowDecimal={false}
        {...form.getInputProps('owner')}
      />
      {team && (
        <FormSection title={t(text.budgets)}>
          <LazyBudgets scope={{ team_id: team.id, user_id: 0, token_id: 0 }} mayAdd />
        </FormSection>
      )}
    </FormDrawer>
  );
}

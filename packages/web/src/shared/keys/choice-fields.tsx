import { Group, MultiSelect, Switch, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { GroupChoices } from '@tollgate/contract';
import { useStatus } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { GroupTag, usePriceLevel } from '../group-tag/group-tag.tsx';
import { SearchSelect } from '../search-select/search-select.tsx';
import { autoGroup, type TokenForm } from './key-form.ts';
import { formText } from './key-text.ts';

interface FieldProps {
  form: UseFormReturnType<TokenForm>;
}

interface GroupFieldProps extends FieldProps {
  /** Undefined while loading. */
  groups: GroupChoices | undefined;
  /** Label of the empty choice, which follows the payer's group. */
  own: string;
}

/** The groups that the administrator offers to the payer. */
export function GroupField({ form, groups, own }: GroupFieldProps) {
  const t = useTranslate();
  const names = Object.keys(groups ?? {});
  const { group } = form.values;
  const levelOf = usePriceLevel();
  const hintOf = (name: string) => {
    const { desc, ratio, groups: tried } = groups?.[name] ?? {};
    return [desc, ratio !== undefined && !tried && levelOf(ratio)].filter(Boolean).join(' · ');
  };
  // A group that is no longer offered stays visible in the tokens that have it.
  const known = group === '' || names.includes(group) ? names : [...names, group];
  return (
    <>
      <SearchSelect
        label={t(formText.group)}
        description={t(groups && names.length === 0 ? formText.noGroups : formText.groupHint)}
        data={[{ value: '', label: own }, ...known.map((name) => ({ value: name, label: name }))]}
        allowDeselect={false}
        renderOption={({ option }) => (
          <Group gap="xs" wrap="nowrap">
            {option.value === '' ? (
              option.label
            ) : (
              <>
                <GroupTag group={option.value} />
                <Text size="xs" c="dimmed" truncate>
                  {hintOf(option.value)}
                </Text>
              </>
            )}
          </Group>
        )}
        {...form.getInputProps('group')}
      />
      {group === autoGroup && (
        <Switch
          label={t(formText.crossesGroups)}
          description={t(formText.crossesGroupsHint)}
          {...form.getInputProps('crossesGroups', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

/** The group that the form of a new key has at first: the site may want auto. */
export function useFirstGroup(groups: GroupChoices | undefined): string {
  const isWanted = useStatus()?.default_use_auto_group === true;
  return isWanted && Object.hasOwn(groups ?? {}, autoGroup) ? autoGroup : '';
}

/** The models that a key may call; none chosen means all. */
export function ModelsField({ form, models }: FieldProps & { models: readonly string[] }) {
  const t = useTranslate();
  const names = [...new Set([...models, ...form.values.models])];
  return (
    <MultiSelect
      label={t(formText.models)}
      description={t(formText.modelsHint)}
      data={names}
      searchable
      clearable
      hidePickedOptions
      limit={200}
      {...form.getInputProps('models')}
    />
  );
}

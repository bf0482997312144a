import { Group, MultiSelect, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../lib/i18n.ts';
import { GroupTag } from '../../shared/group-tag/group-tag.tsx';
import { SearchSelect } from '../../shared/search-select/search-select.tsx';
import { selfGroupsQuery, selfModelsQuery } from '../../shared/self/queries.ts';
import type { TokenForm } from '../../shared/keys/key-form.ts';
import { formText } from '../../shared/keys/key-text.ts';
import { text } from './text.ts';

interface FieldProps {
  form: UseFormReturnType<TokenForm>;
}

/** The groups the administrator lets this user choose from. */
export function GroupField({ form }: FieldProps) {
  const say = useSay();
  const { data: groups = {} } = useQuery(selfGroupsQuery);
  const names = Object.keys(groups);
  const { group } = form.values;
  // A group that was taken from the choice later stays visible in the tokens that have it.
  const known = group === '' || names.includes(group) ? names : [...names, group];
  return (
    <SearchSelect
      label={say(formText.group)}
      description={say(names.length > 0 ? formText.groupHint : formText.noGroups)}
      data={[
        { value: '', label: say(text.ownGroup) },
        ...known.map((name) => ({ value: name, label: name })),
      ]}
      allowDeselect={false}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          {option.value === '' ? (
            option.label
          ) : (
            <>
              <GroupTag group={option.value} ratio={groups[option.value]?.ratio} />
              <Text size="xs" c="dimmed" truncate>
                {groups[option.value]?.desc}
              </Text>
            </>
          )}
        </Group>
      )}
      {...form.getInputProps('group')}
    />
  );
}

/** The models a token may call; none chosen means all. */
export function ModelsField({ form }: FieldProps) {
  const say = useSay();
  const { data: models = [] } = useQuery(selfModelsQuery);
  const names = [...new Set([...models, ...form.values.models])];
  return (
    <MultiSelect
      label={say(formText.models)}
      description={say(formText.modelsHint)}
      data={names}
      searchable
      clearable
      hidePickedOptions
      limit={200}
      {...form.getInputProps('models')}
    />
  );
}

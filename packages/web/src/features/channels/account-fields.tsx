import { Group, Select, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelData, ChannelTypeData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../lib/i18n.ts';
import type { ChannelForm } from './form.ts';
import { formText } from './form-text.ts';
import { KeyField } from './key-field.tsx';
import { addressHint, hintText } from './provider-hints.ts';
import { ProviderMark } from './provider-mark.tsx';
import { bothNames } from './provider-names.ts';
import { typesQuery } from './queries.ts';

interface AccountFieldsProps {
  form: UseFormReturnType<ChannelForm>;
  channel: ChannelData | undefined;
}

/** Which provider, under which name, with which key, at which address. */
export function AccountFields({ form, channel }: AccountFieldsProps) {
  const say = useSay();
  const { data: types = [] } = useQuery(typesQuery);
  const type = types.find((known) => String(known.type) === form.values.type);
  return (
    <>
      <ProviderField form={form} types={types} type={type} />
      <TextInput label={say(formText.name)} withAsterisk data-autofocus {...form.getInputProps('name')} />
      <KeyField form={form} channel={channel} format={type?.key_hint ?? ''} />
      <AddressField form={form} type={type} />
      {type && type.other_hint !== '' && (
        <TextInput
          label={say(formText.other)}
          description={say(hintText(type.other_hint))}
          spellCheck={false}
          {...form.getInputProps('other')}
        />
      )}
    </>
  );
}

interface TypeFieldProps {
  form: UseFormReturnType<ChannelForm>;
  type: ChannelTypeData | undefined;
}

/** Found by either name; the address tells alike names apart. */
function ProviderField({ form, types, type }: TypeFieldProps & { types: readonly ChannelTypeData[] }) {
  const say = useSay();
  return (
    <Select
      label={say(formText.provider)}
      data={types.map((known) => ({ value: String(known.type), label: say(bothNames(known.name)) }))}
      searchable
      allowDeselect={false}
      maxDropdownHeight={320}
      leftSection={type && <ProviderMark id={type.id} name={type.name} />}
      renderOption={({ option }) => {
        const known = types.find((each) => String(each.type) === option.value);
        return (
          <Group gap={8} wrap="nowrap">
            <ProviderMark id={known?.id ?? ''} name={known?.name ?? option.label} />
            {option.label}
            <Text size="xs" c="dimmed" truncate>
              {known?.base_url}
            </Text>
          </Group>
        );
      }}
      {...form.getInputProps('type')}
    />
  );
}

function AddressField({ form, type }: TypeFieldProps) {
  const say = useSay();
  const special = addressHint(type?.id ?? '');
  const usual = type?.base_url
    ? say(formText.baseUrlHint, { url: type.base_url })
    : say(formText.baseUrlNeeded);
  return (
    <TextInput
      label={say(formText.baseUrl)}
      description={special ? say(special.hint) : usual}
      placeholder={special?.placeholder ?? (type?.base_url || 'https://')}
      inputMode="url"
      spellCheck={false}
      {...form.getInputProps('baseUrl')}
    />
  );
}

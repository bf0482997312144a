import { Group, Select, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../lib/i18n.ts';
import type { ChannelForm } from './form.ts';
import { formText } from './form-text.ts';
import { hintText } from './provider-hints.ts';
import { ProviderMark } from './provider-mark.tsx';
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
  const keyFormat = say(hintText(type?.key_hint ?? ''));
  const keyHint = channel
    ? say(formText.keySet, { hint: channel.key_hint })
    : keyFormat || say(formText.keyBatch);

  return (
    <>
      <Select
        label={say(formText.provider)}
        data={types.map((known) => ({ value: String(known.type), label: known.name }))}
        searchable
        allowDeselect={false}
        maxDropdownHeight={320}
        leftSection={type && <ProviderMark id={type.id} name={type.name} />}
        renderOption={({ option }) => {
          const known = types.find((each) => String(each.type) === option.value);
          return (
            <Group gap={8} wrap="nowrap">
              <ProviderMark id={known?.id ?? ''} name={option.label} />
              {option.label}
              <Text size="xs" c="dimmed" truncate>
                {known?.base_url}
              </Text>
            </Group>
          );
        }}
        {...form.getInputProps('type')}
      />
      <TextInput label={say(formText.name)} withAsterisk data-autofocus {...form.getInputProps('name')} />
      <Textarea
        label={say(formText.key)}
        description={keyHint}
        placeholder={keyFormat}
        withAsterisk={!channel}
        autosize
        minRows={1}
        maxRows={8}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...form.getInputProps('key')}
      />
      <TextInput
        label={say(formText.baseUrl)}
        description={
          type?.base_url ? say(formText.baseUrlHint, { url: type.base_url }) : say(formText.baseUrlNeeded)
        }
        placeholder={type?.base_url ?? 'https://'}
        inputMode="url"
        spellCheck={false}
        {...form.getInputProps('baseUrl')}
      />
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

import { Button, Group, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelData, ChannelTypeData, Words } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { localeOf, useLanguage, useTranslate, type Translate } from '../../../lib/i18n.ts';
import { SearchSelect } from '../../../shared/search-select/search-select.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { endsInV1, withoutV1, type ChannelForm } from './form.ts';
import { formText } from './form-text.ts';
import { KeyField } from './key-field.tsx';
import { ProviderMark } from '../base/provider-mark.tsx';
import { typesQuery } from '../base/queries.ts';

interface AccountFieldsProps {
  form: UseFormReturnType<ChannelForm>;
  channel: ChannelData | undefined;
}

/** Provider, name, key and address of the channel. */
export function AccountFields({ form, channel }: AccountFieldsProps) {
  const t = useTranslate();
  const { data: types = [] } = useQuery(typesQuery);
  const type = types.find((known) => String(known.type) === form.values.type);
  return (
    <>
      <ProviderField form={form} types={types} type={type} />
      <TextInput label={t(formText.name)} withAsterisk {...form.getInputProps('name')} />
      <KeyField form={form} channel={channel} format={type?.key_hint ?? undefined} />
      <AddressField form={form} type={type} />
      {type?.other_hint && (
        <TextInput
          label={t(formText.other)}
          description={t(type.other_hint)}
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

/** Sorted by name in the reader's language; entries that are no vendors are last. */
const inOrder = (types: readonly ChannelTypeData[], t: Translate, locale: string) =>
  types.toSorted(
    (a, b) =>
      Number(notVendors.has(a.id)) - Number(notVendors.has(b.id)) ||
      t(a.name).localeCompare(t(b.name), locale),
  );
const notVendors = new Set(['custom', 'tool-server', 'sandbox']);
/** Types with an address to which nothing is added. */
const wholeAddress = new Set(['custom', 'tool-server']);

/** Both names if they differ, so that a search finds the provider by either. */
const bothNames = ({ zh, en }: ChannelTypeData['name']): Words => ({
  zh: zh === en ? zh : `${zh} · ${en}`,
  en,
});

/** Found by either name; the address distinguishes similar names. */
function ProviderField({ form, types, type }: TypeFieldProps & { types: readonly ChannelTypeData[] }) {
  const t = useTranslate();
  const language = useLanguage();
  const options = useMemo(
    () =>
      inOrder(
        types.filter((one) => !one.closed || one === type),
        t,
        localeOf(language),
      ).map(({ type: value, name }) => ({
        value: String(value),
        label: t(bothNames(name)),
      })),
    [types, type, language, t],
  );
  return (
    <SearchSelect
      label={t(formText.provider)}
      data={options}
      data-autofocus
      allowDeselect={false}
      maxDropdownHeight={320}
      leftSection={type && <ProviderMark id={type.id} />}
      renderOption={({ option }) => {
        const known = types.find((each) => String(each.type) === option.value);
        return (
          <Group gap={8} wrap="nowrap">
            <ProviderMark id={known?.id ?? ''} />
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
  const t = useTranslate();
  const typed = form.values.baseUrl;
  const special = type?.address_hint;
  const usual = type?.base_url ? t(formText.baseUrlHint, { url: type.base_url }) : t(formText.baseUrlNeeded);
  return (
    <div>
      <TextInput
        label={t(formText.baseUrl)}
        description={special ? t(special.meaning) : usual}
        placeholder={special?.placeholder ?? (type?.base_url || 'https://')}
        inputMode="url"
        spellCheck={false}
        {...form.getInputProps('baseUrl')}
      />
      {type && !wholeAddress.has(type.id) && endsInV1(typed) && (
        <Notice
          tone="warn"
          actions={
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => form.setFieldValue('baseUrl', withoutV1(typed))}
            >
              {t(formText.v1Remove)}
            </Button>
          }
        >
          {t(formText.v1Hint)}
        </Notice>
      )}
    </div>
  );
}

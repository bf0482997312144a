import { NumberInput, Select, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslate } from '../../../lib/i18n.ts';
import { JsonField } from '../../../shared/json-field.tsx';
import type { ChannelForm } from './form.ts';
import { formText } from './form-text.ts';

interface FieldProps {
  form: UseFormReturnType<ChannelForm>;
}

/** Conditions under which a channel is chosen or skipped. */
export function RoutingFields({ form }: FieldProps) {
  const t = useTranslate();
  return (
    <Stack gap="md">
      <SimpleGrid cols={2}>
        <NumberInput
          label={t(formText.priority)}
          description={t(formText.priorityHint)}
          min={-999}
          allowDecimal={false}
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={t(formText.weight)}
          description={t(formText.weightHint)}
          min={0}
          allowDecimal={false}
          {...form.getInputProps('weight')}
        />
      </SimpleGrid>
      <TextInput label={t(formText.tag)} description={t(formText.tagHint)} {...form.getInputProps('tag')} />
      <NumberInput
        label={t(formText.maxInputTokens)}
        description={t(formText.maxInputTokensHint)}
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        {...form.getInputProps('maxInputTokens')}
      />
      <TextInput
        label={t(formText.remark)}
        description={t(formText.remarkHint)}
        maxLength={255}
        {...form.getInputProps('remark')}
      />
      <TextInput
        label={t(formText.testModel)}
        description={t(formText.testModelHint)}
        {...form.getInputProps('testModel')}
      />
      <Switch
        label={t(formText.autoBan)}
        description={t(formText.autoBanHint)}
        {...form.getInputProps('autoBan', { type: 'checkbox' })}
      />
    </Stack>
  );
}

/** A field that is replaced, and an operation on a condition. */
const overrideExample = {
  temperature: 0,
  operations: [
    { mode: 'delete', path: 'user', conditions: [{ path: 'model', mode: 'prefix', value: 'gpt-' }] },
  ],
};

const headerTemplates = { key: '{api_key}', header: '{client_header:name}' };
const headersExample = { 'x-tenant': 'example', 'user-agent': '{client_header:user-agent}' };

/** Renamed and replaced fields of requests. */
export function MappingFields({ form }: FieldProps) {
  const t = useTranslate();
  return (
    <Stack gap="md">
      <JsonField
        label={t(formText.modelMapping)}
        description={t(formText.modelMappingHint)}
        example={{ 'gpt-4o': 'gpt-4o-2024-11-20' }}
        {...form.getInputProps('modelMapping')}
      />
      <JsonField
        label={t(formText.statusMapping)}
        description={t(formText.statusMappingHint)}
        example={{ '400': '500' }}
        {...form.getInputProps('statusMapping')}
      />
      <JsonField
        label={t(formText.paramOverride)}
        description={t(formText.paramOverrideHint)}
        example={overrideExample}
        {...form.getInputProps('paramOverride')}
      />
      <JsonField
        label={t(formText.headerOverride)}
        description={t(formText.headerOverrideHint, headerTemplates)}
        example={headersExample}
        {...form.getInputProps('headerOverride')}
      />
      <Textarea
        label={t(formText.systemPrompt)}
        description={t(formText.systemPromptHint)}
        autosize
        minRows={2}
        maxRows={12}
        {...form.getInputProps('systemPrompt')}
      />
      {form.values.systemPrompt.trim() !== '' && (
        <Select
          label={t(formText.systemPlace)}
          allowDeselect={false}
          data={[
            { value: 'if-none', label: t(formText.systemIfNone) },
            { value: 'before', label: t(formText.systemBefore) },
            { value: 'instead', label: t(formText.systemInstead) },
          ]}
          {...form.getInputProps('systemPlace')}
        />
      )}
    </Stack>
  );
}

/** Settings for sent requests and returned answers. */
export function AdvancedFields({ form }: FieldProps) {
  const t = useTranslate();
  const toggles = [
    { name: 'forceFormat', label: formText.forceFormat, hint: formText.forceFormatHint },
    { name: 'thinkingToContent', label: formText.thinking, hint: formText.thinkingHint },
    { name: 'passThrough', label: formText.passThrough, hint: formText.passThroughHint },
    { name: 'drain', label: formText.drain, hint: formText.drainHint },
    { name: 'noStreamUsage', label: formText.noStreamUsage, hint: formText.noStreamUsageHint },
    { name: 'priceAfterMapping', label: formText.mappedPrice, hint: formText.mappedPriceHint },
    { name: 'noRetention', label: formText.noRetention, hint: formText.noRetentionHint },
  ] as const;
  return (
    <Stack gap="md">
      <TextInput
        label={t(formText.proxy)}
        description={t(formText.proxyHint)}
        placeholder="socks5://127.0.0.1:1080"
        spellCheck={false}
        {...form.getInputProps('proxy')}
      />
      {form.values.type === '1' && (
        <TextInput
          label={t(formText.organization)}
          description={t(formText.organizationHint)}
          spellCheck={false}
          {...form.getInputProps('organization')}
        />
      )}
      <Select
        label={t(formText.protocols)}
        description={t(formText.protocolsHint)}
        allowDeselect={false}
        data={[
          { value: 'auto', label: t(formText.protocolsAuto) },
          { value: 'all', label: t(formText.protocolsAll) },
          { value: 'chat', label: t(formText.protocolsChat) },
        ]}
        {...form.getInputProps('protocols')}
      />
      <TextInput
        label={t(formText.region)}
        description={t(formText.regionHint)}
        placeholder="eu"
        maxLength={32}
        spellCheck={false}
        {...form.getInputProps('region')}
      />
      {toggles.map(({ name, label, hint }) => (
        <Switch
          key={name}
          label={t(label)}
          description={t(hint)}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      ))}
    </Stack>
  );
}

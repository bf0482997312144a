import { NumberInput, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSay } from '../../../lib/i18n.ts';
import { JsonField } from '../../../shared/json-field/json-field.tsx';
import type { ChannelForm } from './form.ts';
import { formText } from './form-text.ts';

interface FieldProps {
  form: UseFormReturnType<ChannelForm>;
}

/** When a channel is chosen, and when it is left out. */
export function RoutingFields({ form }: FieldProps) {
  const say = useSay();
  return (
    <Stack gap="md">
      <SimpleGrid cols={2}>
        <NumberInput
          label={say(formText.priority)}
          description={say(formText.priorityHint)}
          min={-999}
          allowDecimal={false}
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={say(formText.weight)}
          description={say(formText.weightHint)}
          min={0}
          allowDecimal={false}
          {...form.getInputProps('weight')}
        />
      </SimpleGrid>
      <TextInput
        label={say(formText.tag)}
        description={say(formText.tagHint)}
        {...form.getInputProps('tag')}
      />
      <NumberInput
        label={say(formText.maxInputTokens)}
        description={say(formText.maxInputTokensHint)}
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        {...form.getInputProps('maxInputTokens')}
      />
      <TextInput
        label={say(formText.testModel)}
        description={say(formText.testModelHint)}
        {...form.getInputProps('testModel')}
      />
      <Switch
        label={say(formText.autoBan)}
        description={say(formText.autoBanHint)}
        {...form.getInputProps('autoBan', { type: 'checkbox' })}
      />
    </Stack>
  );
}

/** What is renamed or replaced on the way. */
export function MappingFields({ form }: FieldProps) {
  const say = useSay();
  return (
    <Stack gap="md">
      <JsonField
        label={say(formText.modelMapping)}
        description={say(formText.modelMappingHint)}
        example={{ 'gpt-4o': 'gpt-4o-2024-11-20' }}
        {...form.getInputProps('modelMapping')}
      />
      <JsonField
        label={say(formText.statusMapping)}
        description={say(formText.statusMappingHint)}
        example={{ '400': '500' }}
        {...form.getInputProps('statusMapping')}
      />
      <JsonField
        label={say(formText.paramOverride)}
        description={say(formText.paramOverrideHint)}
        example={{ temperature: 0 }}
        {...form.getInputProps('paramOverride')}
      />
    </Stack>
  );
}

/** How requests are sent and answers shaped. */
export function AdvancedFields({ form }: FieldProps) {
  const say = useSay();
  const toggles = [
    { name: 'forceFormat', label: formText.forceFormat, hint: formText.forceFormatHint },
    { name: 'thinkingToContent', label: formText.thinking, hint: formText.thinkingHint },
    { name: 'passThrough', label: formText.passThrough, hint: formText.passThroughHint },
    { name: 'drain', label: formText.drain, hint: formText.drainHint },
  ] as const;
  return (
    <Stack gap="md">
      <TextInput
        label={say(formText.proxy)}
        description={say(formText.proxyHint)}
        placeholder="socks5://127.0.0.1:1080"
        spellCheck={false}
        {...form.getInputProps('proxy')}
      />
      {form.values.type === '1' && (
        <TextInput
          label={say(formText.organization)}
          description={say(formText.organizationHint)}
          spellCheck={false}
          {...form.getInputProps('organization')}
        />
      )}
      {toggles.map(({ name, label, hint }) => (
        <Switch
          key={name}
          label={say(label)}
          description={say(hint)}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      ))}
    </Stack>
  );
}

import { Select, SimpleGrid, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ChannelData, keylessTypes, type Words } from '@tollgate/contract';
import { type Translate, useTranslate } from '../../../lib/i18n.ts';
import { type ChannelForm, needsKey } from './form.ts';
import { formText } from './form-text.ts';
import { codexType, hasKeyFile, keysIn, vertexType } from './key-check.ts';

interface KeyFieldProps {
  form: UseFormReturnType<ChannelForm>;
  channel: ChannelData | undefined;
  /** The registry's description of the key format; undefined for a plain key. */
  format: Words | undefined;
}

/**
 * Key field: one key, several for as many channels or for one, or the file of a service account. A stored key is never
 * shown.
 */
export function KeyField({ form, channel, format }: KeyFieldProps) {
  const t = useTranslate();
  const isFile = hasKeyFile(form.values.type);
  return (
    <>
      <Textarea
        label={t(formText.key)}
        description={hintsOf(form.values, channel, format, t).join(' · ')}
        placeholder={exampleOf(form.values.type) ?? (format && t(format))}
        withAsterisk={needsKey(form.values.type, channel)}
        autosize
        minRows={isFile ? 6 : 1}
        maxRows={isFile ? 14 : 8}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...form.getInputProps('key')}
        // An empty field shows no error when it loses focus.
        {...(form.values.key === '' && { onBlur: undefined })}
      />
      <SeveralKeys form={form} channel={channel} />
    </>
  );
}

/**
 * Options of a multi-key channel: whether several keys make one channel, how a key is chosen, and whether existing keys
 * are kept.
 */
function SeveralKeys({ form, channel }: Omit<KeyFieldProps, 'format'>) {
  const t = useTranslate();
  const { type, key, keyMode } = form.values;
  const typed = keysIn(type, key).length;
  const isAsked = keyMode !== '' || (channel ? typed > 0 : typed > 1);
  if (type === codexType || !isAsked) return null;
  const one = { value: '', label: t(channel ? formText.keyModeOne : formText.keyModeEach) };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={t(formText.keyMode)}
        allowDeselect={false}
        data={[
          ...(channel?.channel_info ? [] : [one]),
          { value: 'random', label: t(formText.keyModeRandom) },
          { value: 'polling', label: t(formText.keyModeTurn) },
          { value: 'least_used', label: t(formText.keyModeLeast) },
        ]}
        {...form.getInputProps('keyMode')}
      />
      {channel && keyMode !== '' && typed > 0 && (
        <Select
          label={t(formText.keyPlace)}
          allowDeselect={false}
          data={[
            { value: 'append', label: t(formText.keyAppend) },
            { value: 'replace', label: t(formText.keyReplace) },
          ]}
          {...form.getInputProps('keyPlace')}
        />
      )}
    </SimpleGrid>
  );
}

/** The fields of Google's file that are used. */
const accountExample = `{
  "type": "service_account",
  "project_id": "…",
  "private_key": "-----BEGIN PRIVATE KEY-----…",
  "client_email": "…@….iam.gserviceaccount.com"
}`;

/** The fields that create and renew a login. */
const loginExample = `{
  "access_token": "eyJ…",
  "refresh_token": "…",
  "account_id": "…",
  "expired": "2026-12-01T00:00:00Z"
}`;

const exampleOf = (type: string): string | undefined =>
  ({ [vertexType]: accountExample, [codexType]: loginExample })[type];

const keyState = ({ key_hint: hint, channel_info: info }: ChannelData, t: Translate): string => {
  if (info) return t(formText.keysSet, { count: info.multi_key_size });
  return hint === '' ? t(formText.keyNone) : t(formText.keySet, { hint });
};

/** Text above the field: whether a key is set, its format, and the number of channels it creates. */
function hintsOf(
  { type, key, keyMode }: ChannelForm,
  channel: ChannelData | undefined,
  format: Words | undefined,
  t: Translate,
) {
  const hints: string[] = [];
  const mayBeNone = keylessTypes.has(Number(type));
  if (channel) hints.push(keyState(channel, t));
  if (mayBeNone && (!channel || channel.key_hint === '')) hints.push(t(formText.keyOptional));
  if (format) hints.push(t(formText.keyFormat, { format: t(format) }));
  if (format?.en.includes('|')) hints.push(t(formText.keyParts));
  if (hasKeyFile(type)) hints.push(t(type === codexType ? formText.loginKeyJson : formText.keyJson));
  else if (keyMode !== '') hints.push(t(formText.keyLines));
  else if (!channel) {
    const { length: count } = keysIn(type, key);
    hints.push(count > 1 ? t(formText.keyCount, { count }) : t(formText.keyBatch));
  }
  return hints;
}

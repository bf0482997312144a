import { Button, NumberInput, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { TokenData } from '@tollgate/contract';
import { type ReactNode, useEffect } from 'react';
import { type Text as Words, useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { LazyBudgets, LazyRunList } from '../budgets/lazy-budgets.tsx';
import { ChannelRuleFields } from '../channel-rule.tsx';
import { toDateText } from '../date-time/date-text.ts';
import { DateTimeField } from '../date-time/date-time-field.tsx';
import { FormDrawer } from '../form-drawer/form-drawer.tsx';
import { useFilledForm } from '../form-drawer/use-filled-form.ts';
import { FormSection } from '../form-drawer/form-section.tsx';
import { Presets } from '../form-drawer/presets.tsx';
import { QuotaField } from '../quota-field.tsx';
import {
  changesOf,
  formOf,
  newTokenForm,
  rules,
  toCalls,
  type TokenCall,
  type TokenForm,
} from './key-form.ts';
import { formText } from './key-text.ts';

interface KeyDrawerProps {
  opened: boolean;
  /** The key to edit; without one the form creates one. */
  token: TokenData | undefined;
  /** Whose key it is, if it may be another person's. */
  owner?: string | undefined;
  /** The group of a new key; '' for the payer's own. */
  firstGroup: string;
  /** The group field. */
  group: (form: UseFormReturnType<TokenForm>) => ReactNode;
  /** The field of permitted models. */
  models: (form: UseFormReturnType<TokenForm>) => ReactNode;
  /** Creates a key for each of the calls. The drawer shows its error. */
  create: (calls: readonly TokenCall[]) => Promise<unknown>;
  /** Saves the differences. */
  update: (id: number, changes: Partial<TokenCall>) => Promise<unknown>;
  onClose: () => void;
  /** Texts for another payer; the default texts are for the user's own tokens. */
  words?: Record<'createTitle' | 'editTitle' | 'unlimitedHint', Words>;
}

/** Creates keys or edits one, of a user or of an organisation. */
export function KeyDrawer({
  opened,
  token,
  owner = '',
  firstGroup,
  group,
  models,
  create,
  update,
  onClose,
  words = formText,
}: KeyDrawerProps) {
  const t = useTranslate();
  const { form, before } = useTokenForm(opened, token, firstGroup);
  const isOwn = useCurrentUser()?.id === token?.user_id;
  const save = (values: TokenForm) =>
    token ? update(token.id, changesOf(values, before.current ?? token)) : create(toCalls(values));

  return (
    <FormDrawer
      opened={opened}
      title={t(token ? words.editTitle : words.createTitle)}
      action={t(token ? formText.save : formText.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <FormSection title={t(formText.basics)}>
        <TextInput
          label={t(formText.name)}
          placeholder={t(formText.namePlaceholder)}
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        {group(form)}
        <ExpiryField form={form} />
      </FormSection>
      <FormSection title={t(formText.budget)}>
        <QuotaFields form={form} hint={t(words.unlimitedHint)} />
        {token && <LazyBudgets scope={{ token_id: token.id }} mayAdd />}
      </FormSection>
      {token && (
        <LazyRunList
          scope={{ token_id: token.id }}
          title={t(formText.madeKeys)}
          username={isOwn ? '' : owner}
        />
      )}
      <FormSection title={t(formText.limits)}>
        {models(form)}
        <Textarea
          label={t(formText.addresses)}
          description={t(formText.addressesHint)}
          placeholder={'203.0.113.7\n198.51.100.0/24'}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('addresses')}
        />
        <ChannelRuleFields
          regions={form.getInputProps('regions')}
          noRetention={form.getInputProps('noRetention', { type: 'checkbox' })}
        />
      </FormSection>
      {!token && (
        <FormSection title={t(formText.batch)}>
          <CountField form={form} />
        </FormSection>
      )}
    </FormDrawer>
  );
}

/** The fields, reset each time the drawer opens. */
function useTokenForm(opened: boolean, token: TokenData | undefined, group: string) {
  const t = useTranslate();
  const form = useForm<TokenForm>({
    initialValues: newTokenForm,
    validate: rules(t),
    validateInputOnBlur: true,
  });
  const before = useFilledForm(form, {
    opened,
    row: token,
    id: (row) => row.id,
    valuesOf: (row) => (row ? formOf(row) : { ...newTokenForm, group }),
  });
  const { setFieldValue } = form;
  // The groups may arrive after the form was opened.
  useEffect(() => {
    if (!token && group !== '') setFieldValue('group', (chosen) => chosen || group);
  }, [token, group, setFieldValue]);
  return { form, before };
}

interface FieldProps {
  form: UseFormReturnType<TokenForm>;
}

const hour = 3600;
const expiryPresets = [
  { label: formText.never, seconds: null },
  { label: formText.oneHour, seconds: hour },
  { label: formText.oneDay, seconds: 24 * hour },
  { label: formText.oneMonth, seconds: 30 * 24 * hour },
];

function ExpiryField({ form }: FieldProps) {
  const t = useTranslate();
  return (
    <div>
      <DateTimeField
        label={t(formText.expires)}
        placeholder={t(formText.never)}
        {...form.getInputProps('expires')}
      />
      <Presets>
        {expiryPresets.map(({ label, seconds }) => (
          <Button
            key={label.en}
            variant="default"
            size="compact-xs"
            onClick={() =>
              form.setFieldValue(
                'expires',
                seconds === null ? null : toDateText(Math.floor(Date.now() / 1000) + seconds),
              )
            }
          >
            {t(label)}
          </Button>
        ))}
      </Presets>
    </div>
  );
}

function QuotaFields({ form, hint }: FieldProps & { hint: string }) {
  const t = useTranslate();
  return (
    <>
      <Switch
        label={t(formText.unlimited)}
        description={hint}
        {...form.getInputProps('unlimited', { type: 'checkbox' })}
      />
      {!form.values.unlimited && (
        <div>
          <QuotaField {...form.getInputProps('quota')} />
          <Text size="xs" c="dimmed" mt={6}>
            {t(formText.limitedHint)}
          </Text>
        </div>
      )}
    </>
  );
}

const countPresets = [10, 20, 30, 100];

function CountField({ form }: FieldProps) {
  const t = useTranslate();
  return (
    <div>
      <NumberInput
        label={t(formText.count)}
        description={t(formText.countHint)}
        min={1}
        max={100}
        allowDecimal={false}
        {...form.getInputProps('count')}
      />
      <Presets>
        {countPresets.map((preset) => (
          <Button
            key={preset}
            variant="default"
            size="compact-xs"
            onClick={() => form.setFieldValue('count', preset)}
          >
            {preset}
          </Button>
        ))}
      </Presets>
    </div>
  );
}

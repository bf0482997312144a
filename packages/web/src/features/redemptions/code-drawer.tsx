import { NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxRedemptionBatch, type RedemptionData } from '@tollgate/contract';
import { useTranslate, type Translate } from '../../lib/i18n.ts';
import { formatMoney } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { DateTimeField } from '../../shared/date-time/date-time-field.tsx';
import { fromDateText, toDateText } from '../../shared/date-time/date-text.ts';
import { FormDrawer } from '../../shared/form-drawer/form-drawer.tsx';
import { useFilledForm } from '../../shared/form-drawer/use-filled-form.ts';
import { QuotaField } from '../../shared/quota-field.tsx';
import { useCreateRedemptions, useUpdateRedemption } from './queries.ts';
import { text } from './text.ts';

interface CodeForm extends Record<string, unknown> {
  name: string;
  quota: number | string;
  /** Local time as `YYYY-MM-DD HH:mm:ss`; null for never. */
  expires: string | null;
  /** Days after redemption; '' for no end. */
  useWithin: number | string;
  count: number | string;
}

/** One code of 20 cents, where 500,000 units are a dollar. */
const newForm: CodeForm = { name: '', quota: 100_000, expires: null, useWithin: '', count: 1 };
const maxNameLength = 20;
const maxDays = 3_650;

/** The text of the date field → Unix seconds; 0 for never, NaN for an invalid date. */
const toSeconds = (value: string | null): number => fromDateText(value) ?? 0;

const formOf = (code: RedemptionData): CodeForm => ({
  name: code.name,
  quota: code.quota,
  expires: code.expired_time === 0 ? null : toDateText(code.expired_time),
  useWithin: code.use_within_days ?? '',
  count: 1,
});

const isWhole = (value: number | string, min: number, max: number) =>
  value !== '' && Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max;

const rules = (t: Translate, isNew: boolean) => ({
  name: (value: string) => {
    if (value.trim() === '') return isNew ? null : t(text.nameRequired);
    return value.trim().length > maxNameLength ? t(text.nameLong) : null;
  },
  quota: (value: number | string) =>
    isWhole(value, 1, Number.MAX_SAFE_INTEGER) ? null : t(text.quotaInteger),
  expires: (value: string | null) => (Number.isNaN(toSeconds(value)) ? t(text.expiresMalformed) : null),
  useWithin: (value: number | string) =>
    value === '' || isWhole(value, 1, maxDays) ? null : t(text.useWithinInvalid),
  count: (value: number | string) => (isWhole(value, 1, maxRedemptionBatch) ? null : t(text.countInvalid)),
});

interface CodeDrawerProps {
  opened: boolean;
  /** The code to edit; without one the form creates codes. */
  code: RedemptionData | undefined;
  onClose: () => void;
  onCreated: (keys: string[], name: string) => void;
  onSaved: () => void;
}

/** Creates codes or edits one. */
export function CodeDrawer({ opened, code, onClose, onCreated, onSaved }: CodeDrawerProps) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const create = useCreateRedemptions();
  const update = useUpdateRedemption();
  const form = useForm<CodeForm>({
    initialValues: newForm,
    validate: rules(t, code === undefined),
    validateInputOnBlur: true,
  });
  useFilledForm(form, {
    opened,
    row: code,
    id: (row) => row.id,
    valuesOf: (row) => (row ? formOf(row) : newForm),
  });

  const save = async (values: CodeForm) => {
    const quota = Number(values.quota);
    const name = values.name.trim() || formatMoney(quota, display);
    const fields = {
      name,
      quota,
      expired_time: toSeconds(values.expires),
      use_within_days: values.useWithin === '' ? null : Number(values.useWithin),
    };
    if (!code) return onCreated(await create.mutateAsync({ ...fields, count: Number(values.count) }), name);
    await update.mutateAsync({ id: code.id, ...fields });
    onSaved();
  };

  return (
    <FormDrawer
      opened={opened}
      title={t(code ? text.editTitle : text.createTitle)}
      action={t(code ? text.save : text.create)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label={t(text.name)}
        description={code ? undefined : t(text.nameHint)}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <QuotaField {...form.getInputProps('quota')} />
      <DateTimeField label={t(text.expires)} placeholder={t(text.never)} {...form.getInputProps('expires')} />
      <NumberInput
        label={t(text.useWithin)}
        description={t(text.useWithinHint)}
        placeholder={t(text.noEnd)}
        min={1}
        max={maxDays}
        allowDecimal={false}
        {...form.getInputProps('useWithin')}
      />
      {!code && (
        <NumberInput
          label={t(text.count)}
          min={1}
          max={maxRedemptionBatch}
          allowDecimal={false}
          {...form.getInputProps('count')}
        />
      )}
    </FormDrawer>
  );
}

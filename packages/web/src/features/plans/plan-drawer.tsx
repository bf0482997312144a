import { Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { planBudgetPeriods, type PlanData, planPeriods } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { type Translate, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { text as budgetText } from '../../shared/budgets/text.ts';
import { FormDrawer } from '../../shared/form-drawer/form-drawer.tsx';
import { useFilledForm } from '../../shared/form-drawer/use-filled-form.ts';
import { groupsQuery } from '../../shared/group-tag/groups-query.ts';
import { QuotaField } from '../../shared/quota-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useGivePlan, useSavePlan } from './queries.ts';
import { text } from './text.ts';

interface PlanForm extends Record<string, unknown> {
  nameZh: string;
  nameEn: string;
  period: PlanData['period'];
  quota: number | string;
  price: number | string;
  balancePrice: number | string;
  group: string | null;
  budget: number | string;
  budgetPeriod: PlanData['budget_period'];
  hidden: boolean;
}

const maxName = 40;

const formOf = (plan: PlanData): PlanForm => ({
  nameZh: plan.name_zh,
  nameEn: plan.name_en,
  period: plan.period,
  quota: plan.quota,
  price: plan.price,
  balancePrice: plan.balance_price,
  group: plan.user_group || null,
  budget: plan.budget,
  budgetPeriod: plan.budget_period,
  hidden: plan.hidden,
});

const newForm = (perUnit: number): PlanForm => ({
  nameZh: '',
  nameEn: '',
  period: 'month',
  quota: 10 * perUnit,
  price: 0,
  balancePrice: 0,
  group: null,
  budget: 0,
  budgetPeriod: 'day',
  hidden: false,
});

const rules = (t: Translate) => {
  const named = (value: string) => (value.trim() === '' ? t(text.nameRequired) : null);
  return {
    nameZh: named,
    nameEn: named,
    quota: (value: number | string) => (Number(value) > 0 ? null : t(text.quotaRequired)),
    price: (value: number | string, form: PlanForm) =>
      Number(value) > 0 || Number(form.balancePrice) > 0 ? null : t(text.noPrice),
  };
};

interface PlanDrawerProps {
  opened: boolean;
  /** The plan to edit; without one the form creates a plan. */
  plan: PlanData | undefined;
  /** Quota units in a dollar. */
  perUnit: number;
  onClose: () => void;
  onSaved: () => void;
}

/** Creates a plan or edits one. */
export function PlanDrawer({ opened, plan, perUnit, onClose, onSaved }: PlanDrawerProps) {
  const t = useTranslate();
  const save = useSavePlan();
  const { data: groups = [] } = useQuery(groupsQuery);
  const currency = (useStatus()?.stripe_currency ?? '').toUpperCase();
  const form = useForm<PlanForm>({
    initialValues: newForm(perUnit),
    validate: rules(t),
    validateInputOnBlur: true,
  });
  useFilledForm(form, {
    opened,
    row: plan,
    id: (row) => row.id,
    valuesOf: (row) => (row ? formOf(row) : newForm(perUnit)),
  });
  const submit = async (values: PlanForm) => {
    await save.mutateAsync({
      id: plan?.id,
      name_zh: values.nameZh.trim(),
      name_en: values.nameEn.trim(),
      period: values.period,
      quota: Number(values.quota),
      price: Number(values.price),
      balance_price: Number(values.balancePrice),
      user_group: values.group ?? '',
      budget: Number(values.budget),
      budget_period: values.budgetPeriod,
      hidden: values.hidden,
    });
    onSaved();
  };
  // A price from the balance is enough.
  form.watch('balancePrice', () => form.clearFieldError('price'));
  const { group } = form.values;
  return (
    <FormDrawer
      opened={opened}
      title={t(plan ? text.editTitle : text.createTitle)}
      action={t(plan ? text.save : text.create)}
      form={form}
      onSubmit={submit}
      onClose={onClose}
    >
      {plan && <Notice>{t(text.termsHint)}</Notice>}
      <TextInput
        label={t(text.nameZh)}
        maxLength={maxName}
        data-autofocus
        {...form.getInputProps('nameZh')}
      />
      <TextInput label={t(text.nameEn)} maxLength={maxName} {...form.getInputProps('nameEn')} />
      <Select
        label={t(text.period)}
        data={planPeriods.map((value) => ({ value, label: t(text[value]) }))}
        allowDeselect={false}
        {...form.getInputProps('period')}
      />
      <QuotaField label={t(text.quota)} {...form.getInputProps('quota')} />
      <NumberInput
        label={t(text.price)}
        description={t(text.priceHint, { currency })}
        min={0}
        max={1_000_000}
        decimalScale={2}
        {...form.getInputProps('price')}
      />
      <QuotaField label={t(text.balancePrice)} {...form.getInputProps('balancePrice')} />
      <Select
        label={t(text.group)}
        placeholder={t(text.sameGroup)}
        data={group === null || groups.includes(group) ? groups : [...groups, group]}
        clearable
        searchable
        {...form.getInputProps('group')}
      />
      <QuotaField label={t(text.budget)} {...form.getInputProps('budget')} />
      {Number(form.values.budget) > 0 && (
        <Select
          label={t(text.budgetPeriod)}
          description={t(text.budgetHint)}
          data={planBudgetPeriods.map((value) => ({ value, label: t(budgetText[value]) }))}
          allowDeselect={false}
          {...form.getInputProps('budgetPeriod')}
        />
      )}
      <Switch
        label={t(text.hidden)}
        description={t(text.hiddenHint)}
        {...form.getInputProps('hidden', { type: 'checkbox' })}
      />
    </FormDrawer>
  );
}

/** Asks who gets a period of a plan. */
export function GiveBody({ plan, onClose }: { plan: PlanData; onClose: () => void }) {
  const t = useTranslate();
  const language = useLanguage();
  const [userId, setUserId] = useState<number | string>('');
  const give = useGivePlan();
  const submit = () =>
    give.mutate(
      { plan: plan.id, user_id: Number(userId) },
      {
        onSuccess: () => {
          toast.good(t(text.given));
          onClose();
        },
      },
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t(text.giveBody)}</Text>
        <NumberInput
          label={t(text.userId)}
          data-autofocus
          min={1}
          allowDecimal={false}
          hideControls
          value={userId}
          onChange={setUserId}
          error={give.error && errorMessage(give.error, language)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <MutationButton type="submit" disabled={Number(userId) < 1} loading={give.isPending}>
            {t(text.give)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

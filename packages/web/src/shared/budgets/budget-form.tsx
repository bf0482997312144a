import { Button, Group, NumberInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  type BudgetData,
  type BudgetMode,
  budgetModes,
  type BudgetPeriod,
  budgetPeriods,
  type BudgetUnit,
  budgetUnits,
  maxQuota,
  maxRunCalls,
  maxShare,
  maxShares,
  usualSharesOf,
} from '@tollgate/contract';
import { errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { DateTimeField } from '../date-time/date-time-field.tsx';
import { MutationButton } from '../demo/mutation-button.tsx';
import { toast } from '../feedback/toast.ts';
import { QuotaField } from '../quota-field.tsx';
import { type BudgetScope, useSaveBudget } from './queries.ts';
import { text as periods } from './text.ts';

const text = texts({
  name: { zh: '名称', en: 'Name' },
  nameHint: { zh: '拒绝信息中会显示', en: 'Shown when a call is refused' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  unit: { zh: '计量', en: 'Counts' },
  quota: { zh: '费用（美元）', en: 'What calls cost (dollars)' },
  tokens: { zh: 'Token 数（输入和输出）', en: 'Tokens in and out' },
  amount: { zh: '每期金额（美元）', en: 'Amount per period (dollars)' },
  tokenAmount: { zh: '每期 Token 数', en: 'Tokens per period' },
  amountRequired: { zh: '请输入金额', en: 'Please enter an amount' },
  period: { zh: '周期', en: 'Period' },
  window: { zh: '计期方式', en: 'Counted by' },
  calendar: { zh: '日历', en: 'The calendar' },
  sliding: { zh: '滚动（任意连续时段）', en: 'Any such time in a row (sliding)' },
  slidingHint: {
    zh: '用量满一个周期后不再计入；每月按 30 天计。',
    en: 'What is older than the period no longer counts; a month has 30 days.',
  },
  zone: { zh: '时区', en: 'Time zone' },
  zoneHint: { zh: '周期按该时区的日历重新开始', en: 'The period begins anew by the calendar of this zone' },
  until: { zh: '截止时间', en: 'Until' },
  untilRequired: { zh: '请选择将来的时间', en: 'Please choose a time in the future' },
  model: { zh: '模型', en: 'Model' },
  modelHint: { zh: '留空为所有模型；末尾可用 *', en: 'Empty for all models; * stands for any ending' },
  mode: { zh: '用完后', en: 'When it is used up' },
  hard: { zh: '拒绝调用', en: 'Refuse calls' },
  soft: { zh: '仅提醒', en: 'Only warn' },
  cheaper: { zh: '改用更便宜的模型', en: 'Use a cheaper model' },
  instead: { zh: '更便宜的模型', en: 'Cheaper model' },
  insteadHint: {
    zh: '不计入此预算；密钥不可用时拒绝调用',
    en: 'It does not count on this budget; keys without it are refused',
  },
  insteadRequired: { zh: '请输入模型', en: 'Please enter a model' },
  shares: { zh: '提醒比例（%）', en: 'Warn at (percent)' },
  sharesHint: {
    zh: '已用达到时提醒，每期一次',
    en: 'A warning when calls have used so much, once in each period',
  },
  sharesWrong: { zh: '请输入 1 至 {max} 的整数', en: 'Please enter whole numbers from 1 to {max}' },
  runAmount: { zh: '上限（美元）', en: 'Limit (dollars)' },
  calls: { zh: '调用次数上限', en: 'Maximum number of calls' },
  accepts: { zh: '接受调用', en: 'Accepts calls' },
  acceptsHint: {
    zh: '关闭后立即拒绝该任务及其子任务的新调用',
    en: 'Off: new calls of the run and its sub-runs are refused at once',
  },
  enabled: { zh: '启用', en: 'Enabled' },
  cancel: { zh: '取消', en: 'Cancel' },
  save: { zh: '保存', en: 'Save' },
  saved: { zh: '预算已保存', en: 'The budget is saved' },
});

interface BudgetFormProps {
  scope: BudgetScope;
  /** The budget to change; without it the form creates one. */
  budget: BudgetData | undefined;
  onClose: () => void;
}

interface Values extends Record<string, unknown> {
  name: string;
  unit: BudgetUnit;
  /** Quota units or tokens; '' if empty. */
  amount: number | string;
  mode: BudgetMode;
  instead: string;
  /** Percentages as text. */
  shares: string[];
  enabled: boolean;
  /** Calls of a run. */
  calls: number | string;
  period: BudgetPeriod;
  window: 'calendar' | 'sliding';
  zone: string;
  /** Local time as text; null if empty. */
  until: string | null;
  model: string;
}

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = [...new Set(['UTC', ownZone, ...Intl.supportedValuesOf('timeZone')])];

const isShare = (typed: string) => /^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= maxShare;

const secondsOf = (local: string | null) =>
  local === null ? 0 : Math.floor(new Date(local).getTime() / 1000);

/** Terms of a budget. Period and model cannot change later: a budget with others is another one. */
export function BudgetForm({ scope, budget, onClose }: BudgetFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const save = useSaveBudget();
  const isRun = budget?.period === 'run';
  const form = useForm<Values>({
    // Fields of the form behind the dialog may have the same names.
    name: 'budget',
    initialValues: {
      name: budget?.name ?? '',
      unit: budget?.unit ?? 'quota',
      amount: budget === undefined || (isRun && budget.mode === 'soft') ? '' : budget.amount,
      mode: budget?.mode ?? 'hard',
      instead: budget?.instead ?? '',
      shares: (budget?.shares ?? usualSharesOf('week')).map(String),
      calls: budget && budget.max_calls < maxRunCalls ? budget.max_calls : '',
      enabled: budget?.enabled ?? true,
      period: budget && budget.period !== 'run' ? budget.period : 'week',
      window: budget?.sliding ? 'sliding' : 'calendar',
      zone: budget?.time_zone ?? ownZone,
      until: null,
      model: budget?.model ?? '',
    },
    validate: {
      name: (value) => (value.trim() === '' && !isRun ? t(text.nameRequired) : null),
      amount: (value) => (value === '' && !isRun ? t(text.amountRequired) : null),
      instead: (value, { mode }) =>
        mode === 'cheaper' && value.trim() === '' ? t(text.insteadRequired) : null,
      shares: (value) => (value.every(isShare) ? null : t(text.sharesWrong, { max: maxShare })),
      until: (value, { period }) =>
        budget === undefined && period === 'term' && secondsOf(value) * 1000 <= Date.now()
          ? t(text.untilRequired)
          : null,
    },
  });
  const { period, window, unit, mode: chosen } = form.values;
  /** Shares that were not changed follow the period. */
  const setPeriod = (next: BudgetPeriod) => {
    if (form.values.shares.join() === usualSharesOf(period).join())
      form.setFieldValue('shares', usualSharesOf(next).map(String));
    form.setFieldValue('period', next);
  };
  const submit = form.onSubmit(
    ({ name, amount, mode, instead, shares, calls, enabled, zone, until, model }) => {
      const terms = {
        name: name.trim(),
        amount: Number(amount),
        mode,
        shares: shares.map(Number),
        instead: mode === 'cheaper' ? instead.trim() : '',
      };
      const limits = {
        ...(amount !== '' && { amount: Number(amount) }),
        ...(calls !== '' && { max_calls: Number(calls) }),
      };
      const change = budget
        ? { update: { id: budget.id, ...(isRun ? limits : terms), enabled } }
        : {
            create: {
              ...scope,
              ...terms,
              unit,
              period,
              sliding: period !== 'term' && window === 'sliding',
              time_zone: zone,
              model: model.trim(),
              until: period === 'term' ? secondsOf(until) : 0,
            },
          };
      save.mutate(change, {
        onSuccess: () => {
          toast.good(t(text.saved));
          onClose();
        },
      });
    },
    // The field may be scrolled out of sight.
    (errors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
  );
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        {!isRun && (
          <TextInput
            label={t(text.name)}
            description={t(text.nameHint)}
            maxLength={100}
            withAsterisk
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
        {!budget && (
          <Select
            label={t(text.unit)}
            data={budgetUnits.map((value) => ({ value, label: t(text[value]) }))}
            allowDeselect={false}
            value={unit}
            onChange={(value) =>
              form.setValues({ unit: value === 'tokens' ? 'tokens' : 'quota', amount: '' })
            }
          />
        )}
        {unit === 'tokens' ? (
          <NumberInput
            label={t(text.tokenAmount)}
            min={0}
            max={maxQuota}
            allowDecimal={false}
            thousandSeparator=","
            withAsterisk
            {...form.getInputProps('amount')}
          />
        ) : (
          <QuotaField
            label={t(isRun ? text.runAmount : text.amount)}
            withAsterisk={!isRun}
            {...form.getInputProps('amount')}
          />
        )}
        {!isRun && (
          <>
            <Select
              label={t(text.mode)}
              data={budgetModes.map((value) => ({ value, label: t(text[value]) }))}
              allowDeselect={false}
              {...form.getInputProps('mode')}
            />
            {chosen === 'cheaper' && (
              <TextInput
                label={t(text.instead)}
                description={t(text.insteadHint)}
                maxLength={255}
                withAsterisk
                {...form.getInputProps('instead')}
              />
            )}
            <TagsInput
              label={t(text.shares)}
              description={t(text.sharesHint)}
              maxTags={maxShares}
              inputMode="numeric"
              {...form.getInputProps('shares')}
            />
          </>
        )}
        {isRun && (
          <NumberInput
            label={t(text.calls)}
            min={1}
            max={maxRunCalls}
            allowDecimal={false}
            {...form.getInputProps('calls')}
          />
        )}
        {budget ? (
          <Switch
            label={t(isRun ? text.accepts : text.enabled)}
            description={isRun ? t(text.acceptsHint) : undefined}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
        ) : (
          <>
            <Select
              label={t(text.period)}
              data={budgetPeriods.map((value) => ({ value, label: t(periods[value]) }))}
              allowDeselect={false}
              value={period}
              onChange={(value) => setPeriod(budgetPeriods.find((each) => each === value) ?? period)}
            />
            {period === 'term' ? (
              <DateTimeField label={t(text.until)} withAsterisk {...form.getInputProps('until')} />
            ) : (
              <Select
                label={t(text.window)}
                description={window === 'sliding' ? t(text.slidingHint) : undefined}
                data={(['calendar', 'sliding'] as const).map((value) => ({ value, label: t(text[value]) }))}
                allowDeselect={false}
                {...form.getInputProps('window')}
              />
            )}
            {period !== 'term' && window === 'calendar' && (
              <Select
                label={t(text.zone)}
                description={t(text.zoneHint)}
                data={zones}
                searchable
                allowDeselect={false}
                limit={50}
                {...form.getInputProps('zone')}
              />
            )}
            <TextInput
              label={t(text.model)}
              description={t(text.modelHint)}
              maxLength={255}
              {...form.getInputProps('model')}
            />
          </>
        )}
        {save.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(save.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <MutationButton type="submit" loading={save.isPending}>
            {t(text.save)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

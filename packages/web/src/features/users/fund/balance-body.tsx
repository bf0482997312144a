import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ManagedUserData } from '@tollgate/contract';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { CreditEndField, creditEnd } from '../../../shared/date-time/credit-end-field.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Presets } from '../../../shared/form-drawer/presets.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { fundText } from './text.ts';
import { useAdjustBalance } from '../base/queries.ts';
import classes from '../base/users.module.css';

/** A manual change of a balance. */
const fundModes = ['add', 'subtract', 'override'] as const;
export type FundMode = (typeof fundModes)[number];

interface FundForm extends Record<string, unknown> {
  mode: FundMode;
  /** Quota units; '' if empty. */
  amount: number | string;
  /** Local time; only an added amount has one. */
  expires: string | null;
  reason: string;
}

const emptyFundForm: FundForm = { mode: 'add', amount: '', expires: null, reason: '' };

/** The balance after the change, in quota units; null without an amount. */
export function balanceAfter(
  { mode, amount }: Pick<FundForm, 'mode' | 'amount'>,
  now: number,
): number | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value) || value < 0) return null;
  if (mode === 'override') return value;
  return mode === 'add' ? now + value : now - value;
}

type FundProblem = 'amountInvalid' | 'targetInvalid' | 'tooMuch' | 'unchanged';

/** The fault of an amount for this balance; null for a valid one. */
export function amountProblem(form: Pick<FundForm, 'mode' | 'amount'>, now: number): FundProblem | null {
  const after = balanceAfter(form, now);
  if (form.mode === 'override') {
    if (after === null) return 'targetInvalid';
    return after === now ? 'unchanged' : null;
  }
  if (after === null || after === now) return 'amountInvalid';
  return after < 0 ? 'tooMuch' : null;
}

interface BalanceBodyProps {
  user: ManagedUserData;
  onClose: () => void;
}

function useFundForm(now: number) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  return useForm<FundForm>({
    initialValues: emptyFundForm,
    validate: {
      amount: (_value, values) => {
        const problem = amountProblem(values, now);
        if (problem === null) return null;
        return problem === 'tooMuch'
          ? t(fundText.tooMuch, { money: formatMoney(now, display) })
          : t(fundText[problem]);
      },
      reason: (value) => (value.trim() === '' ? t(fundText.reasonRequired) : null),
    },
  });
}

/** Adjusts the balance by an amount with direction and reason; shows the resulting balance first. */
export function BalanceBody({ user, onClose }: BalanceBodyProps) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const adjust = useAdjustBalance();
  const form = useFundForm(user.quota);
  const { mode } = form.values;
  const modes = fundModes.map((value) => ({ value, label: t(fundText[value]) }));

  const submit = form.onSubmit(({ amount, expires, reason }) => {
    const expires_time = mode === 'add' ? creditEnd(expires) : 0;
    const after = balanceAfter(form.values, user.quota) ?? 0;
    const [before, then] = [user.quota, after].map((quota) => formatMoney(quota, display));
    adjust.mutate(
      { id: user.id, mode, value: Number(amount), reason: reason.trim(), expires_time },
      {
        onSuccess: () => {
          toast.good(t(fundText.done, { before: before ?? '', after: then ?? '' }));
          onClose();
        },
      },
    );
  });

  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <SegmentedControl aria-label={t(fundText.mode)} data={modes} {...form.getInputProps('mode')} />
        <QuotaField label={t(fundText.amount)} {...form.getInputProps('amount')} />
        {mode === 'add' && <CreditEndField {...form.getInputProps('expires')} />}
        <ReasonField form={form} />
        <Before quota={user.quota} after={balanceAfter(form.values, user.quota)} />
        {adjust.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(adjust.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(fundText.cancel)}
          </Button>
          <MutationButton type="submit" loading={adjust.isPending}>
            {t(fundText.apply)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

const usualReasons = [fundText.paid, fundText.gift, fundText.correction];

function ReasonField({ form }: { form: UseFormReturnType<FundForm> }) {
  const t = useTranslate();
  return (
    <div>
      <TextInput
        label={t(fundText.reason)}
        description={t(fundText.reasonHint)}
        maxLength={255}
        withAsterisk
        {...form.getInputProps('reason')}
      />
      <Presets>
        {usualReasons.map((reason) => (
          <Button
            key={reason.en}
            variant="default"
            size="compact-xs"
            onClick={() => form.setFieldValue('reason', t(reason))}
          >
            {t(reason)}
          </Button>
        ))}
      </Presets>
    </div>
  );
}

/** The current and the resulting balance. */
function Before({ quota, after }: { quota: number; after: number | null }) {
  const t = useTranslate();
  const tone = after === null || after === quota ? undefined : after > quota ? 'more' : 'less';
  return (
    <dl className={classes.balance} aria-live="polite">
      <dt>{t(fundText.now)}</dt>
      <dd>
        <Money quota={quota} />
      </dd>
      <dt>{t(fundText.after)}</dt>
      <dd data-tone={tone}>{after === null ? nothing : <Money quota={after} />}</dd>
    </dl>
  );
}

import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ManagedTeamData } from '@tollgate/contract';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { CreditEndField, creditEnd } from '../../../shared/date-time/credit-end-field.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Money } from '../../../shared/money/money.tsx';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { text as baseText } from '../base/text.ts';
import { useAdjustTeam } from './queries.ts';
import { allText as text } from './text.ts';

interface AdjustBodyProps {
  team: ManagedTeamData;
  onClose: () => void;
}

/** A change in quota units; null without a valid amount. */
const changeOf = (amount: number | string): number | null =>
  amount !== '' && Number.isInteger(Number(amount)) && Number(amount) !== 0 ? Number(amount) : null;

interface AdjustForm {
  amount: number | string;
  /** Local time; only an added amount has one. */
  expires: string | null;
  reason: string;
}

/** The fields and their submission. */
function useAdjustForm({ team, onClose }: AdjustBodyProps) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const adjust = useAdjustTeam();
  const form = useForm<AdjustForm>({
    initialValues: { amount: '', expires: null, reason: '' },
    validate: {
      amount: (value) => {
        const change = changeOf(value);
        if (change === null) return t(text.amountInvalid);
        const isTooMuch = team.balance + change < 0;
        return isTooMuch ? t(text.tooMuch, { money: formatMoney(team.balance, display) }) : null;
      },
      reason: (value) => (value.trim() === '' ? t(text.reasonRequired) : null),
    },
  });
  const submit = form.onSubmit(({ amount, expires, reason }) =>
    adjust.mutate(
      {
        id: team.id,
        quota: Number(amount),
        reason: reason.trim(),
        expires_time: Number(amount) > 0 ? creditEnd(expires) : 0,
      },
      {
        onSuccess: ({ balance }) => {
          toast.good(t(text.adjusted, { money: formatMoney(balance, display) }));
          onClose();
        },
      },
    ),
  );
  return { form, adjust, submit };
}

/** Adjusts the balance by an amount with a reason; shows the resulting balance first. */
export function AdjustBody(props: AdjustBodyProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { form, adjust, submit } = useAdjustForm(props);
  const { balance } = props.team;
  const change = changeOf(form.values.amount);
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <QuotaField label={t(text.amount)} signed {...form.getInputProps('amount')} />
        {change !== null && change > 0 && <CreditEndField {...form.getInputProps('expires')} />}
        <TextInput
          label={t(text.reason)}
          description={t(text.reasonHint)}
          maxLength={255}
          withAsterisk
          {...form.getInputProps('reason')}
        />
        <DescriptionList
          rows={[
            [t(text.now), <Money key="now" quota={balance} />],
            [t(text.after), change === null ? nothing : <Money key="after" quota={balance + change} />],
          ]}
        />
        {adjust.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(adjust.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            {t(baseText.cancel)}
          </Button>
          <Button type="submit" loading={adjust.isPending}>
            {t(text.apply)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

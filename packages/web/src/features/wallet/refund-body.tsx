import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type UserTopUp, walletApi } from '@tollgate/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatMoney, formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { Notice } from '../../ui/notice.tsx';
import { ordersKey } from './queries.ts';
import { text } from './text.ts';

/** Asks for the reason of a refund, and says what it does and what it leaves to the operator. */
export function RefundBody({ order, onClose }: { order: UserTopUp; onClose: () => void }) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const client = useQueryClient();
  const isStripe = order.payment_method === 'stripe' || order.payment_method === 'auto';
  /** A period of a plan that no payment provider was asked for. */
  const isInside = order.payment_method === 'balance' || order.payment_method === 'gift';
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const refund = useMutation({
    mutationFn: () => call(walletApi.refund, { trade_no: order.trade_no, reason: reason.trim() }),
    onSuccess: ({ quota, money }) => {
      const paid = formatPayment(money, order.currency, language);
      const words = { quota: formatMoney(quota, display), money: paid };
      const done = isStripe ? text.refundPaid : isInside ? text.refundInside : text.refundDone;
      toast.good(t(done, words));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ordersKey }),
    meta: { quiet: true },
  });
  const submit = () => {
    if (reason.trim() === '') return setProblem(t(text.reasonRequired));
    refund.mutate();
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t(text.refundBody)}</Text>
        <Notice tone={isInside ? 'info' : 'warn'}>
          {t(isStripe ? text.refundByStripe : isInside ? text.refundToBalance : text.refundByHand)}
        </Notice>
        <TextInput
          label={t(text.reason)}
          maxLength={255}
          withAsterisk
          value={reason}
          error={problem}
          onChange={(event) => {
            setReason(event.currentTarget.value);
            setProblem(null);
          }}
        />
        {refund.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(refund.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <MutationButton type="submit" color="red" loading={refund.isPending}>
            {t(text.refund)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

import { Skeleton, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { siteAddress } from '../../../lib/address.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay, useStatus } from '../../../lib/api/status.ts';
import { formatMoney, formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { SecretField } from '../../../shared/copy/secret-field.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Money } from '../../../shared/money/money.tsx';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Figure, Figures } from '../../../ui/figure.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { affQuery, useTransfer } from '../base/queries.ts';
import { text } from '../base/text.ts';

type TransferProblem = 'invalid' | 'tooSmall' | 'tooMuch';

interface Bounds {
  /** The minimum amount to move, in quota units. */
  least: number;
  /** The available reward, in quota units. */
  reward: number;
}

/** The reason why an amount of invitation reward cannot be moved to the balance; null if it can. */
export function transferProblem(amount: number | string, { least, reward }: Bounds): TransferProblem | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value)) return 'invalid';
  if (value < least) return 'tooSmall';
  return value > reward ? 'tooMuch' : null;
}

interface InvitationPanelProps {
  self: UserData;
}

/** Invitation link, reward, and its move to the balance. */
export function InvitationPanel({ self }: InvitationPanelProps) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <Panel title={t(text.invitation)} hint={t(text.inviteHint)}>
      <Stack gap="md">
        <InviteLink />
        <Figures>
          <Figure label={t(text.reward)} value={<Money quota={self.aff_quota} />} />
          <Figure label={t(text.rewardTotal)} value={<Money quota={self.aff_history_quota} />} />
          <Figure label={t(text.invited)} value={formatNumber(self.aff_count, language)} />
        </Figures>
        <TransferForm self={self} />
      </Stack>
    </Panel>
  );
}

function InviteLink() {
  const t = useTranslate();
  const status = useStatus();
  const { data: code, error, refetch } = useQuery(affQuery);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (code === undefined) return <Skeleton height={60} />;
  const isClosed = status !== undefined && (!status.register_enabled || status.self_use_mode_enabled);
  return (
    <>
      {isClosed && <Notice tone="warn">{t(text.inviteClosed)}</Notice>}
      <div className={classes.pair}>
        <SecretField label={t(text.inviteCode)} value={code} open />
        <SecretField
          label={t(text.inviteLink)}
          value={`${siteAddress(status)}/register?aff=${encodeURIComponent(code)}`}
          open
        />
      </div>
    </>
  );
}

/** The message for an invalid amount. */
function useTransferError(least: number) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const words: Record<TransferProblem, string> = {
    invalid: t(text.transferInvalid),
    tooSmall: t(text.transferTooSmall, { money: formatMoney(least, display) }),
    tooMuch: t(text.transferTooMuch),
  };
  return words;
}

/** Moves reward to the balance; shows the minimum if the reward is below it. */
function TransferForm({ self }: InvitationPanelProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const least = Math.ceil(perUnit);
  const reward = self.aff_quota;
  const words = useTransferError(least);
  const form = useForm<{ amount: number | string }>({
    initialValues: { amount: '' },
    validate: {
      amount: (value) => {
        const problem = transferProblem(value, { least, reward });
        return problem && words[problem];
      },
    },
  });
  const transfer = useTransfer(() => {
    form.reset();
    toast.good(t(text.transferred));
  });
  const submit = form.onSubmit(({ amount }) => transfer.mutate(Number(amount)));
  if (reward < least) return <p className={classes.quiet}>{words.tooSmall}</p>;
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <QuotaField
        label={t(text.transferAmount)}
        presets={[...new Set([least, reward])]}
        {...form.getInputProps('amount')}
      />
      {transfer.error && (
        <Notice tone="bad" role="alert">
          {errorMessage(transfer.error, language)}
        </Notice>
      )}
      <div className={classes.foot}>
        <MutationButton type="submit" variant="default" loading={transfer.isPending}>
          {t(text.transfer)}
        </MutationButton>
      </div>
    </form>
  );
}

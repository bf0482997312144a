import { Button, Group, NumberInput } from '@mantine/core';
import type { StatusData } from '@tollgate/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { nothing } from '../../lib/format/nothing.ts';
import { formatNumber, formatPayment, formatPercent } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { Presets } from '../../shared/form-drawer/presets.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { priceQuery, stripePriceQuery, usePay, usePayByStripe } from './queries.ts';
import { text } from './text.ts';

/** Dollars offered as buttons. */
const dollarPresets = [5, 10, 20, 50, 100, 500];

export function TopUpPanel() {
  const t = useTranslate();
  const status = useStatus();
  return (
    <Panel title={t(text.online)}>
      {status?.enable_online_topup || status?.enable_stripe_topup ? (
        <TopUpForm status={status} />
      ) : (
        <NotOnline />
      )}
    </Panel>
  );
}

/** Users who can change that get a link. */
function NotOnline() {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const search: Record<string, string> = { q: t(text.paymentSection) };
  return (
    <Notice
      actions={
        isRoot && (
          <Button
            size="compact-sm"
            variant="subtle"
            renderRoot={(props) => <Link to="/setting" search={search} {...props} />}
          >
            {t(text.setUp)}
          </Button>
        )
      }
    >
      {t(text.notOnline)}
    </Notice>
  );
}

/** Amounts are dollars, or quota units on sites that show plain numbers (docs/compatibility.md#online-top-up). */
function TopUpForm({ status }: { status: StatusData }) {
  const t = useTranslate();
  const language = useLanguage();
  const steps = Object.keys(status.top_up_steps).map(Number);
  const presets = steps.length > 0 ? steps.toSorted((one, other) => one - other) : dollarPresets;
  const inDollars = status.display_in_currency;
  const unit = inDollars ? 1 : status.quota_per_unit;
  const min = Math.max(1, status.min_topup) * unit;
  const [amount, setAmount] = useState<number | string>(min);
  const wanted = Number(amount);
  const valid = Number.isInteger(wanted) && wanted >= min;
  // A request per keystroke would exceed the rate limit.
  const [settled] = useDebouncedValue(wanted, 400);
  const isSettled = valid && settled === wanted;
  const { enable_online_topup: byEpay, enable_stripe_topup: byStripe } = status;
  const price = useQuery({ ...priceQuery(settled), enabled: byEpay && isSettled });
  const cardPrice = useQuery({ ...stripePriceQuery(settled), enabled: byStripe && isSettled });
  const error = price.error ?? cardPrice.error;
  const prices = [
    ...(byEpay && price.data ? [formatPayment(Number(price.data), '', language)] : []),
    ...(byStripe && cardPrice.data
      ? [formatPayment(Number(cardPrice.data), status.stripe_currency, language)]
      : []),
  ];
  const least = formatNumber(min, language);
  const problem = !valid
    ? amount !== '' && t(text.tooLittle, { min: least })
    : error && errorMessage(error, language);

  return (
    <>
      <NumberInput
        label={t(text.amount)}
        description={t(inDollars ? text.amountHint : text.amountUnits, { min: least })}
        value={amount}
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        onChange={setAmount}
        error={problem}
      />
      <Presets>
        {presets
          .filter((dollars) => dollars * unit >= min)
          .map((dollars) => (
            <Button
              key={dollars}
              variant="default"
              size="compact-xs"
              onClick={() => setAmount(dollars * unit)}
            >
              ${dollars}
              {status.top_up_steps[dollars] !== undefined && (
                <Discount factor={status.top_up_steps[dollars]} />
              )}
            </Button>
          ))}
      </Presets>
      <Group justify="space-between" align="center" mt="md" mih={34}>
        <span className="tabular">
          {t(text.toPay)}{' '}
          <strong>{valid && !error && prices.length > 0 ? prices.join(t(text.orPrice)) : nothing}</strong>
        </span>
        <Group gap="xs">
          {byEpay && <PayButtons amount={wanted} disabled={!valid} />}
          {byStripe && <StripeButton amount={wanted} disabled={!valid} />}
        </Group>
      </Group>
    </>
  );
}

/** What a step takes off the price. */
function Discount({ factor }: { factor: number }) {
  const language = useLanguage();
  if (factor === 1) return null;
  return <>&nbsp;−{formatPercent(1 - factor, language)}</>;
}

function StripeButton({ amount, disabled }: { amount: number; disabled: boolean }) {
  const t = useTranslate();
  const pay = usePayByStripe();
  return (
    <MutationButton
      variant="default"
      disabled={disabled}
      loading={pay.isPending}
      onClick={() => pay.mutate(amount)}
    >
      {t(text.card)}
    </MutationButton>
  );
}

function PayButtons({ amount, disabled }: { amount: number; disabled: boolean }) {
  const t = useTranslate();
  const pay = usePay();
  return (
    <Group gap="xs">
      {(['zfb', 'wx'] as const).map((method) => (
        <MutationButton
          key={method}
          variant={method === 'zfb' ? 'filled' : 'default'}
          disabled={disabled}
          loading={pay.isPending && pay.variables.method === method}
          onClick={() => pay.mutate({ amount, method })}
        >
          {t(method === 'zfb' ? text.alipay : text.wechat)}
        </MutationButton>
      ))}
    </Group>
  );
}

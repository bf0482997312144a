import { Button, Group, Stack } from '@mantine/core';
import { type DataOf, planApi, type SubscriptionData } from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { useQuotaDisplay, useStatus } from '../../lib/api/status.ts';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatMoney, formatPayment } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { selfQuery } from '../../shared/self.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Panel } from '../../ui/panel.tsx';
import { offersQuery } from './queries.ts';
import { text } from './text.ts';

type Offer = DataOf<typeof planApi.offers>['plans'][number];
type Named = Pick<Offer, 'name_zh' | 'name_en'>;

const useName = (): ((named: Named) => string) => {
  const language = useLanguage();
  return (named) => (language === 'zh' ? named.name_zh : named.name_en);
};

/** What changes a subscription also changes balance, credit and orders. */
function useChange<Input, Result>(run: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['wallet'] }),
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]),
  });
}

/** Plans on offer, and the user's own; nothing on a site without plans. */
export function PlansPanel() {
  const t = useTranslate();
  const offers = useQuery(offersQuery);
  if (offers.error)
    return (
      <Panel title={t(text.plans)}>
        <LoadError error={offers.error} onRetry={offers.refetch} />
      </Panel>
    );
  const { plans = [], subscriptions = [] } = offers.data ?? {};
  if (plans.length + subscriptions.length === 0) return null;
  const held = new Set(subscriptions.map(({ plan_id: id }) => id));
  return (
    <Panel title={t(text.plans)} hint={t(text.plansHint)}>
      <Stack gap="md">
        {subscriptions.map((subscription) => (
          <Own key={`own-${subscription.id}`} subscription={subscription} />
        ))}
        {plans
          .filter(({ id }) => !held.has(id))
          .map((plan) => (
            <OnOffer key={plan.id} plan={plan} />
          ))}
      </Stack>
    </Panel>
  );
}

interface TermsProps {
  plan: Omit<Offer, 'id'>;
  /** Payments with a price to show: those on offer, or that of the next renewal. */
  payments: readonly SubscriptionData['paid_by'][];
}

/** Name, price, credit, group and budget of a plan. */
function Terms({ plan, payments }: TermsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const name = useName()(plan);
  const prices = [
    ...(plan.price > 0 && payments.includes('stripe')
      ? [t(text.cardPrice, { money: formatPayment(plan.price, plan.currency, language) })]
      : []),
    ...(plan.balance_price > 0 && payments.includes('balance')
      ? [t(text.balancePrice, { money: formatMoney(plan.balance_price, display) })]
      : []),
  ];
  const each = t(text[`per${plan.period}`], { price: prices.join(t(text.cardOrBalance)) });
  const price = prices.length === 0 ? [] : [each];
  const credit = t(text[`credit${plan.period}`], { money: formatMoney(plan.quota, display) });
  const group = plan.user_group === '' ? [] : [t(text.withGroup, { group: plan.user_group })];
  const most = t(text[`most${plan.budget_period}`], { money: formatMoney(plan.budget, display) });
  const budget = plan.budget === 0 ? [] : [most];
  return (
    <div>
      <strong>{name}</strong>
      <div>{[...price, credit, ...group, ...budget].join(' · ')}</div>
    </div>
  );
}

function OnOffer({ plan }: { plan: Offer }) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const name = useName()(plan);
  const confirm = useConfirm();
  const byStripe = useStatus()?.enable_stripe_topup === true && plan.price > 0;
  const subscribe = useChange((pay: 'stripe' | 'balance') => call(planApi.subscribe, { plan: plan.id, pay }));
  const payByBalance = async () => {
    const agreed = await confirm({
      title: t(text.subscribeTitle, { name }),
      body: t(text.subscribeBody, { money: formatMoney(plan.balance_price, display) }),
      action: t(text.byBalance),
    });
    if (agreed) subscribe.mutate('balance', { onSuccess: () => toast.good(t(text.subscribed)) });
  };
  const payByStripe = () =>
    subscribe.mutate('stripe', { onSuccess: ({ pay_link: link }) => window.location.assign(link) });
  return (
    <Group justify="space-between" gap="sm">
      <Terms plan={plan} payments={['stripe', 'balance']} />
      <Group gap="xs">
        {plan.balance_price > 0 && (
          <MutationButton variant="default" loading={subscribe.isPending} onClick={() => void payByBalance()}>
            {t(text.byBalance)}
          </MutationButton>
        )}
        {byStripe && (
          <MutationButton loading={subscribe.isPending} onClick={payByStripe}>
            {t(text.byCard)}
          </MutationButton>
        )}
      </Group>
    </Group>
  );
}

function Own({ subscription }: { subscription: SubscriptionData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const name = useName()(subscription);
  const { id, renews, state, paid_by: paidBy } = subscription;
  const change = useChange((next: boolean) => call(planApi.renew, { id, renews: next }));
  const stop = async () => {
    const words = { title: t(text.stopTitle, { name }), body: t(text.stopBody), action: t(text.stopPlan) };
    if (await confirm({ ...words, danger: true })) change.mutate(false);
  };
  const date = formatDateTime(subscription.period_end);
  const isOverdue = state === 'overdue';
  const words = isOverdue ? t(text.failedRenewal) : t(renews ? text.renewsOn : text.endsOn, { date });
  return (
    <Group justify="space-between" gap="sm">
      <Terms plan={subscription} payments={renews ? [paidBy] : []} />
      <Group gap="sm">
        <Dot tone={isOverdue ? 'bad' : renews ? 'good' : 'warn'}>{words}</Dot>
        {paidBy !== 'gift' &&
          (renews ? (
            <Button variant="default" loading={change.isPending} onClick={() => void stop()}>
              {t(text.stopPlan)}
            </Button>
          ) : (
            <MutationButton variant="default" loading={change.isPending} onClick={() => change.mutate(true)}>
              {t(text.keepPlan)}
            </MutationButton>
          ))}
      </Group>
    </Group>
  );
}

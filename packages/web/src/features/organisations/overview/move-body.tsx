import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Money } from '../../../shared/money/money.tsx';
import { QuotaField } from '../../../shared/quota-field.tsx';
import { selfQuery } from '../../../shared/self.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { text as baseText } from '../base/text.ts';
import { useMove, type Direction } from './queries.ts';
import { overviewText as text } from './text.ts';

/** The balances of both wallets, in quota units. */
interface Wallets {
  own: number;
  team: number;
}

/** The fault of an amount; null for a valid one. */
export function amountProblem(
  amount: number | string,
  direction: Direction,
  wallets: Wallets,
): 'amountInvalid' | 'tooMuch' | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value) || value <= 0) return 'amountInvalid';
  return value > (direction === 'fund' ? wallets.own : wallets.team) ? 'tooMuch' : null;
}

/** Both balances after the move; null without a valid amount. */
export function walletsAfter(
  amount: number | string,
  direction: Direction,
  wallets: Wallets,
): Wallets | null {
  if (amountProblem(amount, direction, wallets) !== null) return null;
  const toTeam = direction === 'fund' ? Number(amount) : -Number(amount);
  return { own: wallets.own - toTeam, team: wallets.team + toTeam };
}

interface MoveBodyProps {
  team: TeamData;
  direction: Direction;
  onClose: () => void;
}

/** Moves quota between a user's own wallet and the organisation's; shows both resulting balances first. */
export function MoveBody(props: MoveBodyProps) {
  const { data: self } = useQuery(selfQuery);
  return self ? (
    <MoveForm {...props} wallets={{ own: self.quota, team: props.team.balance }} />
  ) : (
    <Skeleton height={220} />
  );
}

/** The amount and its move; a withdrawal asks for confirmation. */
function useMoveForm({ team, direction, onClose, wallets }: MoveBodyProps & { wallets: Wallets }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const display = useQuotaDisplay();
  const move = useMove(team.id, direction);
  const isOut = direction === 'withdraw';
  const form = useForm<{ amount: number | string }>({
    initialValues: { amount: '' },
    validate: {
      amount: (value) => {
        const problem = amountProblem(value, direction, wallets);
        if (problem !== 'tooMuch') return problem && t(text[problem]);
        return t(text.tooMuch, { money: formatMoney(isOut ? wallets.team : wallets.own, display) });
      },
    },
  });
  const submit = form.onSubmit(async ({ amount }) => {
    const money = formatMoney(Number(amount), display);
    const agreed =
      !isOut ||
      (await confirm({
        title: t(text.withdrawAsk, { money, team: team.name }),
        body: t(text.withdrawBody),
        action: t(text.withdrawAction),
      }));
    if (!agreed) return;
    move.mutate(Number(amount), {
      onSuccess: () => {
        toast.good(t(isOut ? text.withdrawn : text.funded, { money }));
        onClose();
      },
    });
  });
  return { form, move, submit };
}

function MoveForm(props: MoveBodyProps & { wallets: Wallets }) {
  const { direction, wallets, onClose } = props;
  const t = useTranslate();
  const language = useLanguage();
  const { form, move, submit } = useMoveForm(props);
  const after = walletsAfter(form.values.amount, direction, wallets);
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <QuotaField label={t(text.amount)} {...form.getInputProps('amount')} />
        <DescriptionList
          rows={[
            [t(text.ownWallet), <Money key="own" quota={wallets.own} />],
            [t(text.teamWallet), <Money key="team" quota={wallets.team} />],
            [t(text.ownAfter), after ? <Money key="own" quota={after.own} /> : nothing],
            [t(text.teamAfter), after ? <Money key="team" quota={after.team} /> : nothing],
          ]}
        />
        {move.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(move.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(baseText.cancel)}
          </Button>
          <Button type="submit" loading={move.isPending}>
            {t(direction === 'fund' ? text.fundAction : text.withdrawAction)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

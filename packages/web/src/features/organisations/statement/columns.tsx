import type { StatementEntry } from '@tollgate/contract';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { statementText as text } from './text.ts';

const kinds: Record<string, Text> = {
  usage: text.usage,
  refund: text.refund,
  expire: text.expire,
  rerate: text.rerate,
  topup: text.topup,
  topup_refund: text.topUpRefund,
  redeem: text.redeem,
  adjust: text.adjust,
  team: text.team,
};

/** The label of a kind of entry. */
export function useKindLabel(): (kind: string) => string {
  const t = useTranslate();
  return (kind) => {
    const known = kinds[kind];
    return known ? t(known) : kind;
  };
}

function Kind({ kind }: { kind: string }) {
  return useKindLabel()(kind);
}

export const entryColumns: readonly Column<StatementEntry>[] = [
  {
    id: 'at',
    title: text.at,
    role: 'title',
    fixed: true,
    render: (entry) => <Time at={entry.at} seconds />,
  },
  { id: 'kind', title: text.kind, card: 'line', render: (entry) => <Kind kind={entry.kind} /> },
  { id: 'user', title: text.user, card: 'line', render: (entry) => entry.username },
  {
    id: 'amount',
    title: text.amount,
    align: 'end',
    card: 'corner',
    render: (entry) => <Money quota={entry.amount} digits={6} />,
  },
  {
    id: 'reference',
    title: text.reference,
    roomy: true,
    render: (entry) => (entry.request_id === '' ? entry.note : <InlineCode>{entry.request_id}</InlineCode>),
  },
];

import { type GrantData, grantApi, type grantSources } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatMoney } from '../../lib/format/number-format.ts';
import { type Text, useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';

/** The wallet: the reader's own, that of a user, or that of an organisation. */
type Owner = 'self' | { user: number } | { team: number };

/** The key has the balance, so that the credit is read again whenever it changes. */
const grantsQuery = (owner: Owner, balance: number) =>
  queryOptions({
    queryKey: ['grants', owner, balance],
    queryFn: ({ signal }) => {
      if (owner === 'self') return call(grantApi.own, {}, { signal });
      return 'user' in owner
        ? call(grantApi.ofUser, { id: owner.user }, { signal })
        : call(grantApi.ofTeam, { id: owner.team }, { signal });
    },
    placeholderData: keepPreviousData,
    enabled: balance > 0,
  });

const sources: Readonly<Record<(typeof grantSources)[number], Text>> = {
  topup: text.topup,
  stripe: text.stripe,
  redeem: text.redeem,
  gift: text.gift,
  invite: text.invite,
  admin: text.admin,
  import: text.import,
  refund: text.refund,
  balance: text.balance,
  plan: text.plan,
};

/** The label of a source of credit. */
export function useSourceLabel(): (source: string) => string {
  const t = useTranslate();
  return (source) => {
    const known = (sources as Record<string, Text | undefined>)[source];
    return known ? t(known) : source;
  };
}

/** Lines that are shown at once. */
const shownLines = 4;

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A line for each part of a balance that has an end; nothing without one. */
export function CreditEnds({ owner, balance }: { owner: Owner; balance: number }) {
  const t = useTranslate();
  const [now] = useState(nowSeconds);
  const { data } = useQuery(grantsQuery(owner, balance));
  const ending = balance === 0 ? [] : (data?.grants ?? []).filter(({ expires_time: end }) => end > now);
  if (ending.length === 0) return null;
  const rest = ending.length - shownLines;
  return (
    <>
      {ending.slice(0, shownLines).map((grant) => (
        <Line key={grant.id} grant={grant} />
      ))}
      {rest > 0 && <div>{t(text.more, { count: rest })}</div>}
    </>
  );
}

function Line({ grant }: { grant: GrantData }) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const sourceLabel = useSourceLabel();
  const money = formatMoney(grant.left, display);
  const date = formatDateTime(grant.expires_time).slice(0, -3);
  return <div>{t(text.line, { money, date, source: sourceLabel(grant.source) })}</div>;
}

import { Stack, Button } from '@mantine/core';
import {
  tokenStatus,
  type AuditData,
  type ManagedUserData,
  type MovementData,
  type SessionData,
  type TokenData,
} from '@tollgate/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { deviceOf } from '../../../shared/device/device.ts';
import { useTranslate, type Text, texts } from '../../../lib/i18n.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { ChangeList } from '../../../shared/audit/change-list.tsx';
import { KindTag } from '../../../shared/audit/kind-tag.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { isBelow } from '../base/permissions.ts';
import classes from './history.module.css';
import { HistoryList } from './list.tsx';
import {
  userAuditQuery,
  userMovementsQuery,
  userSessionsQuery,
  userTokensQuery,
  useEndSessions,
} from './queries.ts';
import { historyText as text } from './text.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toast } from '../../../shared/feedback/toast.ts';

// Lazy, so that the code loads with the tab and not with the page.
const endText = texts({
  end: { zh: '结束所有会话', en: 'End all sessions' },
  title: { zh: '结束“{name}”的所有会话？', en: 'End all sessions of “{name}”?' },
  body: {
    zh: '对方在所有设备上都会立即退出登录。系统访问令牌和令牌仍然有效。',
    en: 'They are signed out on every device at once; their access tokens and keys stay valid.',
  },
  ended: { zh: '所有会话已结束', en: 'All sessions are ended' },
});

/** Ends all sessions of a user after a confirmation. */
function EndSessions({ user }: { user: Pick<ManagedUserData, 'id' | 'username'> }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const end = useEndSessions();
  const ask = async () => {
    const agreed = await confirm({
      title: t(endText.title, { name: user.username }),
      body: t(endText.body),
      action: t(endText.end),
      danger: true,
    });
    if (agreed) end.mutate(user.id, { onSuccess: () => toast.good(t(endText.ended)) });
  };
  return (
    <Button variant="default" size="xs" loading={end.isPending} onClick={() => void ask()}>
      {t(endText.end)}
    </Button>
  );
}

/** History of an account: money, sessions, keys, administrators' actions. */
export function UserHistory({ user }: { user: ManagedUserData }) {
  const { id } = user;
  return (
    <Stack gap="lg">
      <Movements id={id} />
      <Sessions user={user} />
      <Tokens id={id} />
      <Events id={id} />
    </Stack>
  );
}

const kinds: Readonly<Record<string, Text>> = {
  adjust: text.kindAdjust,
  gift: text.kindGift,
  invite: text.kindInvite,
  topup: text.kindTopup,
  topup_refund: text.kindTopupRefund,
  plan: text.kindPlan,
  redeem: text.kindRedeem,
  transfer: text.kindTransfer,
  expire: text.kindExpire,
  refund: text.kindRefund,
  rerate: text.kindRerate,
  opening: text.kindOpening,
};

function Movements({ id }: { id: number }) {
  const t = useTranslate();
  const query = useInfiniteQuery(userMovementsQuery(id));
  return (
    <HistoryList
      title={`${t(text.movements)} (${t(text.movementsHint)})`}
      query={query}
      rows={query.data?.pages.flatMap(({ items }) => items)}
      rowId={(row) => row.id}
      render={(row) => <Movement row={row} />}
      empty={t(text.noMovements)}
      onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
      isBusy={query.isFetchingNextPage}
    />
  );
}

function Movement({ row }: { row: MovementData }) {
  const t = useTranslate();
  const known = kinds[row.kind];
  return (
    <>
      <div className={classes.head}>
        <Tag tone={row.kind === 'adjust' ? 'orange' : 'neutral'}>{known ? t(known) : row.kind}</Tag>
        <span className={classes.amount} data-sign={row.amount < 0 ? 'minus' : 'plus'}>
          {row.amount < 0 ? '' : '+'}
          <Money quota={row.amount} />
        </span>
      </div>
      {row.reason !== '' && <span>{row.reason}</span>}
      <span className={classes.quiet}>
        <Time at={row.at} /> {row.actor_name !== '' && t(text.by, { name: row.actor_name })}
      </span>
    </>
  );
}

function Sessions({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const actor = useCurrentUser();
  const query = useQuery(userSessionsQuery(user.id));
  const mayEnd = isBelow(actor, user) && query.data !== undefined && query.data.length > 0;
  return (
    <HistoryList
      title={t(text.sessions)}
      query={query}
      rows={query.data}
      rowId={(row) => row.id}
      render={(row) => <Session row={row} />}
      empty={t(text.noSessions)}
      action={mayEnd && <EndSessions user={user} />}
    />
  );
}

function Session({ row }: { row: Omit<SessionData, 'current'> }) {
  const t = useTranslate();
  return (
    <>
      <span title={row.user_agent}>{deviceOf(row.user_agent) || t(text.unknownDevice)}</span>
      <span className={classes.quiet}>
        {row.ip} · {t(text.seen)} <Time at={row.seen_time} relative />
      </span>
    </>
  );
}

function Tokens({ id }: { id: number }) {
  const t = useTranslate();
  const query = useQuery(userTokensQuery(id));
  return (
    <HistoryList
      title={t(text.tokens)}
      query={query}
      rows={query.data}
      rowId={(row) => row.id}
      render={(row) => <Token row={row} />}
      empty={t(text.noTokens)}
    />
  );
}

function Token({ row }: { row: TokenData }) {
  const t = useTranslate();
  return (
    <>
      <div className={classes.head}>
        <span>{row.name}</span>
        {row.status !== tokenStatus.enabled && <Tag tone="bad">{t(text.off)}</Tag>}
      </div>
      <span className={classes.quiet}>
        <code>{row.key}</code> · {t(text.usedSoFar)} <Money quota={row.used_quota} />
      </span>
    </>
  );
}

function Events({ id }: { id: number }) {
  const t = useTranslate();
  const query = useInfiniteQuery(userAuditQuery(id));
  return (
    <HistoryList
      title={t(text.events)}
      query={query}
      rows={query.data?.pages.flatMap(({ items }) => items)}
      rowId={(row) => row.id}
      render={(row) => <Event row={row} />}
      empty={t(text.noEvents)}
      onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
      isBusy={query.isFetchingNextPage}
    />
  );
}

function Event({ row }: { row: AuditData }) {
  const t = useTranslate();
  return (
    <>
      <div className={classes.head}>
        <KindTag kind={row.kind} outcome={row.outcome} />
        <span className={classes.quiet}>
          <Time at={row.at} seconds />
        </span>
      </div>
      <ChangeList changes={row.changes} target={row.target_type} />
      <span className={classes.quiet}>
        {[row.actor_name !== '' && t(text.by, { name: row.actor_name }), row.ip, deviceOf(row.user_agent)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  );
}

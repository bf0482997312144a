import { logType, type QuotaData, type UsageSummary } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Panel } from '../../../ui/panel.tsx';
import { useScopeUser } from '../base/log-link.tsx';
import { summaryQuery, type Scope } from '../base/queries.ts';
import { RankList } from './rank-list.tsx';
import { sumByModel } from '../base/series.ts';
import type { Span } from '../base/span.ts';
import { text } from '../base/text.ts';

interface TopProps {
  scope: Scope;
  span: Span;
  /** The sums of the span; undefined while loading. */
  rows: QuotaData[] | undefined;
}

const totalOf = (rows: readonly QuotaData[] = []): number => rows.reduce((sum, { quota }) => sum + quota, 0);

const entriesShown = 8;

function useCalls(): (count: number) => string {
  const t = useTranslate();
  const language = useLanguage();
  return (count) => t(text.calls, { count: formatNumber(count, language) });
}

/** Amounts that organisations paid for calls of a model: beside a user's own money, and of all money. */
function ByTeams({ quota, own }: { quota: number; own: boolean }) {
  const t = useTranslate();
  return (
    <>
      {t(own ? text.besideByTeams : text.ofItByTeams)} <MoneySum quota={quota} />
    </>
  );
}

/** The models with the highest cost in the span. */
export function TopModels({ scope, span, rows }: TopProps) {
  const t = useTranslate();
  const calls = useCalls();
  const username = useScopeUser(scope);
  const tops = useMemo(() => rows && sumByModel(rows).slice(0, entriesShown), [rows]);
  const { start, end } = span;
  return (
    <Panel title={t(text.topModels)}>
      <RankList
        total={totalOf(rows)}
        entries={tops?.map(([model, sums]) => ({
          key: model,
          name: model,
          ...(sums.byTeams > 0 ? { note: <ByTeams quota={sums.byTeams} own={scope.of === 'own'} /> } : {}),
          quota: sums.quota,
          calls: calls(sums.count),
          rows: { start, end, model, username, type: logType.consume },
        }))}
      />
    </Panel>
  );
}

type TopToken = UsageSummary['tokens'][number];

/** The organisation that pays for a key, and the owner's name if there are several owners. */
function noteOf(token: TopToken, showsUsers: boolean): { note?: string } {
  const team = token.team_id > 0 ? [token.team_name || `#${token.team_id}`] : [];
  const parts = [...(showsUsers ? [token.username] : []), ...team];
  return parts.length > 0 ? { note: parts.join(' · ') } : {};
}

/**
 * The tokens with the highest cost in the span: the user's own, and those that organisations pay for, with the
 * organisation's name.
 */
export function TopTokens({ scope, span, rows }: TopProps) {
  const t = useTranslate();
  const wireWords = useWireWords();
  const calls = useCalls();
  const { data, error, refetch } = useQuery(summaryQuery(scope, span));
  const username = useScopeUser(scope);
  const showsUsers = scope.of === 'all' && scope.username === '';
  const { start, end } = span;
  const late = data !== undefined && data.since > start;
  return (
    <Panel
      title={t(text.topTokens)}
      {...(late ? { hint: t(text.sinceOnly, { time: formatDateTime(data.since) }) } : {})}
    >
      {error && !data ? (
        <LoadError error={error} onRetry={refetch} />
      ) : (
        <RankList
          total={totalOf(rows)}
          entries={data?.tokens.slice(0, entriesShown).map((token) => ({
            key: `${token.user_id}-${token.token_id}-${token.token_name}`,
            name:
              token.token_id === 0 && token.token_name === ''
                ? t(text.playground)
                : wireWords(token.token_name),
            ...noteOf(token, showsUsers),
            quota: token.quota,
            calls: calls(token.count),
            rows: {
              start,
              end,
              token: token.token_name,
              username: scope.of === 'all' ? token.username : username,
              payer: token.team_id > 0 ? String(token.team_id) : undefined,
              type: logType.consume,
            },
          }))}
        />
      )}
    </Panel>
  );
}

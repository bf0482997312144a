import { NativeSelect } from '@mantine/core';
import { logType, type QuotaData, type UsageSummary, writeTag } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Panel } from '../../../ui/panel.tsx';
import { useScopeRows } from '../base/log-link.tsx';
import { summaryQuery, tagSumsQuery, type Scope } from '../base/queries.ts';
import { RankList } from './rank-list.tsx';
import { sumByModel } from '../base/series.ts';
import type { Span } from '../base/span.ts';
import { text } from '../base/text.ts';
import type { Dashboard } from '../base/use-view.ts';

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
  const inScope = useScopeRows(scope);
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
          rows: { start, end, model, ...inScope, type: logType.consume },
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
  const inScope = useScopeRows(scope);
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
              ...inScope,
              ...(scope.of === 'all' ? { username: token.username } : {}),
              payer: token.team_id > 0 ? String(token.team_id) : undefined,
              type: logType.consume,
            },
          }))}
        />
      )}
    </Panel>
  );
}

interface TopTagsProps {
  dashboard: Dashboard;
  /** The names of tags to choose from, with that of the address. */
  names: readonly string[];
  /** The sums of the span; undefined while loading. */
  rows: QuotaData[] | undefined;
}

/** The values of a tag with the highest cost in the span. */
export function TopTags({ dashboard, names, rows }: TopTagsProps) {
  const t = useTranslate();
  const calls = useCalls();
  const { scope, view, by, setSearch } = dashboard;
  const { start, end } = view;
  const inScope = useScopeRows(scope);
  const name = by || (names[0] ?? '');
  const { data, error, refetch } = useQuery(tagSumsQuery(scope, { start, end }, name));
  return (
    <Panel
      title={t(text.topTags)}
      actions={
        <NativeSelect
          size="xs"
          aria-label={t(text.tagName)}
          data={[...names]}
          value={name}
          onChange={(event) => setSearch({ by: event.currentTarget.value })}
        />
      }
    >
      {error && !data ? (
        <LoadError error={error} onRetry={refetch} />
      ) : (
        <RankList
          total={totalOf(rows)}
          entries={data?.slice(0, entriesShown).map(({ value, quota, refunded, calls: count }) => ({
            key: value,
            name: value || name,
            quota: quota - refunded,
            calls: calls(count),
            rows: {
              start,
              end,
              ...inScope,
              tag: [writeTag(name, value), inScope.tag].filter(Boolean).join(','),
              type: logType.consume,
            },
          }))}
        />
      )}
    </Panel>
  );
}

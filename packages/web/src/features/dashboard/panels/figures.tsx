import { logType, moneyDigits } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nothing } from '../../../lib/format/nothing.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatDuration, formatNumber, formatPercent } from '../../../lib/format/number-format.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Figure, Figures, figureValue } from '../../../ui/figure.tsx';
import classes from '../base/dashboard.module.css';
import { LogLink, useScopeRows } from '../base/log-link.tsx';
import {
  freshSelfQuery,
  spentQuery,
  summaryQuery,
  sumsQuery,
  todayQuery,
  type Scope,
} from '../base/queries.ts';
import { sumWithin } from '../base/series.ts';
import { daysOf, sharedSpan, type Span } from '../base/span.ts';
import { text } from '../base/text.ts';

interface FiguresProps {
  scope: Scope;
  /** Unix seconds. */
  now: number;
  /** The span of the chart: if it ends now, its sums serve the figures too. */
  view: Span;
}

/** The payer in the links' filter: a user's own figures exclude payments of organisations. */
const payerOf = (scope: Scope, paidByTeams: number): string | undefined =>
  scope.of === 'own' && paidByTeams > 0 ? 'user' : undefined;

/** Today's figures; each links to the rows behind it. */
export function TodayFigures({ scope, now, view }: FiguresProps) {
  const t = useTranslate();
  const language = useLanguage();
  const inScope = useScopeRows(scope);
  const { today, yesterday } = daysOf(now);
  const days = { start: yesterday.start, end: today.end };
  const sums = useQuery(sumsQuery(scope, sharedSpan(days, view)));
  // The sums that the log shows above its rows, so that both show the same digits.
  const current = useQuery(todayQuery(scope, today.start));
  const spentBefore = useQuery(spentQuery(scope, yesterday));
  const { perUnit } = useQuotaDisplay();
  // Two days side by side have the same decimals.
  const digits = moneyDigits([current.data?.quota ?? 0, spentBefore.data?.quota ?? 0], perUnit);
  const counted = sums.data && sumWithin(sums.data, today);
  const before = sums.data && sumWithin(sums.data, yesterday);
  const calls = { ...today, ...inScope, type: logType.consume };
  const callsBefore = { ...yesterday, ...inScope, type: logType.consume };

  return (
    <Figures>
      <Balance isAmongAll={scope.of === 'all'} />
      <Figure
        label={t(text.spentToday)}
        value={figureValue(current, ({ quota, team_quota: byTeams }) => (
          <LogLink rows={{ ...calls, payer: payerOf(scope, byTeams) }}>
            <Money quota={quota} digits={digits} />
          </LogLink>
        ))}
        note={
          spentBefore.data && (
            <LogLink rows={{ ...callsBefore, payer: payerOf(scope, spentBefore.data.team_quota) }}>
              {t(text.yesterday)} <Money quota={spentBefore.data.quota} digits={digits} />
            </LogLink>
          )
        }
      />
      <Figure
        label={t(text.requestsToday)}
        value={figureValue({ ...sums, data: counted }, ({ count }) => (
          <LogLink rows={calls}>{formatNumber(count, language)}</LogLink>
        ))}
        note={
          before && (
            <LogLink rows={callsBefore}>
              {t(text.yesterday)} {formatNumber(before.count, language)}
            </LogLink>
          )
        }
      />
      <SummaryFigures scope={scope} today={today} />
      <Figure
        label={t(text.rates)}
        value={figureValue(current, ({ rpm }) => (
          <LogLink rows={calls}>{t(text.rpm, { count: formatNumber(rpm, language) })}</LogLink>
        ))}
        note={current.data && t(text.tpm, { count: formatNumber(current.data.tpm, language) })}
      />
    </Figures>
  );
}

/** The user's own balance, for every scope. */
function Balance({ isAmongAll }: { isAmongAll: boolean }) {
  const t = useTranslate();
  const self = useQuery(freshSelfQuery);
  return (
    <Figure
      label={t(isAmongAll ? text.yourBalance : text.balance)}
      value={figureValue(self, ({ quota }) => (
        <Money quota={quota} />
      ))}
      note={
        <Link to="/topup" className={classes.link}>
          {t(text.topUp)}
        </Link>
      }
    />
  );
}

/** Success rate and latency. If failures are not logged, there is no rate. */
function SummaryFigures({ scope, today }: { scope: Scope; today: Span }) {
  const t = useTranslate();
  const language = useLanguage();
  const inScope = useScopeRows(scope);
  const summary = useQuery(summaryQuery(scope, today));
  const { data } = summary;
  const errors = data?.errors ?? null;
  const tried = (data?.calls ?? 0) + (errors ?? 0);
  const wait = data?.first_token_ms ?? null;
  return (
    <>
      {errors !== null && (
        <Figure
          label={t(text.success)}
          value={tried === 0 ? nothing : formatPercent((data?.calls ?? 0) / tried, language)}
          note={
            <LogLink rows={{ ...today, ...inScope, type: logType.error }}>
              {t(text.failed, {
                count: formatNumber(errors, language),
                total: formatNumber(tried, language),
              })}
            </LogLink>
          }
        />
      )}
      <Figure
        label={t(text.firstToken)}
        value={figureValue(summary, () => (
          <LogLink rows={{ ...today, ...inScope, type: logType.consume }}>
            {wait === null ? nothing : formatDuration(wait)}
          </LogLink>
        ))}
        note={
          data &&
          (wait === null ? t(text.noStreams) : t(text.firstTokenOf, { count: data.first_token_calls }))
        }
      />
    </>
  );
}

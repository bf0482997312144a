import { logType } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { formatDuration, formatNumber, formatPercent } from '../../lib/number-format.ts';
import { useQuotaDisplay } from '../../lib/status.ts';
import { Money } from '../../shared/money/money.tsx';
import { startOfDay } from '../../shared/time-range/range.ts';
import { Figure, Figures } from '../../ui/figure.tsx';
import { digitsFor } from './amounts.ts';
import classes from './dashboard.module.css';
import { LogLink, useScopeUser } from './log-link.tsx';
import { ratesQuery, selfQuery, summaryQuery, sumsQuery, type Scope } from './queries.ts';
import { sumWithin } from './series.ts';
import { viewOf, type Span } from './span.ts';
import { text } from './text.ts';

interface FiguresProps {
  scope: Scope;
  /** Unix seconds. */
  now: number;
}

/** How things stand today: each figure leads to the rows behind it. */
export function TodayFigures({ scope, now }: FiguresProps) {
  const say = useSay();
  const language = useLanguage();
  const username = useScopeUser(scope);
  const { today, yesterday } = daysOf(now);
  const self = useQuery(selfQuery).data;
  const sums = useQuery(sumsQuery(scope, { start: yesterday.start, end: today.end })).data;
  const rates = useQuery(ratesQuery(scope, today.start)).data;
  const spent = sums && sumWithin(sums, today);
  const before = sums && sumWithin(sums, yesterday);
  const calls = { ...today, username, type: logType.consume };
  const callsBefore = { ...yesterday, username, type: logType.consume };

  return (
    <Figures>
      <Figure
        label={say(text.balance)}
        value={self && <Amount quota={self.quota} />}
        note={
          <Link to="/topup" className={classes.link}>
            {say(text.topUp)}
          </Link>
        }
      />
      <Figure
        label={say(text.spentToday)}
        value={
          spent && (
            <LogLink rows={calls}>
              <Amount quota={spent.quota} />
            </LogLink>
          )
        }
        note={
          before && (
            <LogLink rows={callsBefore}>
              {say(text.yesterday)} <Amount quota={before.quota} />
            </LogLink>
          )
        }
      />
      <Figure
        label={say(text.requestsToday)}
        value={spent && <LogLink rows={calls}>{formatNumber(spent.count, language)}</LogLink>}
        note={
          before && (
            <LogLink rows={callsBefore}>
              {say(text.yesterday)} {formatNumber(before.count, language)}
            </LogLink>
          )
        }
      />
      <SummaryFigures scope={scope} today={today} />
      <Figure
        label={say(text.rates)}
        value={rates && say(text.rpm, { count: formatNumber(rates.rpm, language) })}
        note={rates && say(text.tpm, { count: formatNumber(rates.tpm, language) })}
      />
    </Figures>
  );
}

/** Rate of success and wait. Where failures are not logged there is no rate, and none is made up. */
function SummaryFigures({ scope, today }: { scope: Scope; today: Span }) {
  const say = useSay();
  const language = useLanguage();
  const username = useScopeUser(scope);
  const { data } = useQuery(summaryQuery(scope, today));
  const errors = data?.errors ?? null;
  const tried = (data?.calls ?? 0) + (errors ?? 0);
  const wait = data?.first_token_ms ?? null;
  return (
    <>
      {errors !== null && (
        <Figure
          label={say(text.success)}
          value={tried === 0 ? '–' : formatPercent((data?.calls ?? 0) / tried, language)}
          note={
            <LogLink rows={{ ...today, username, type: logType.error }}>
              {say(text.failed, { count: formatNumber(errors, language) })}
            </LogLink>
          }
        />
      )}
      <Figure
        label={say(text.firstToken)}
        value={data && (wait === null ? '–' : formatDuration(wait))}
        note={
          data &&
          (wait === null ? say(text.noStreams) : say(text.firstTokenOf, { count: data.first_token_calls }))
        }
      />
    </>
  );
}

/** Local today and yesterday. */
function daysOf(now: number): { today: Span; yesterday: Span } {
  const today = viewOf({ range: 'today', start: 0, end: 0, unit: '' }, 'hour', now);
  return {
    today: { start: today.start, end: today.end },
    yesterday: { start: startOfDay(today.start - 1), end: today.start - 1 },
  };
}

/** Money with as many places as a small amount needs. */
export function Amount({ quota }: { quota: number }) {
  const { perUnit } = useQuotaDisplay();
  return <Money quota={quota} digits={digitsFor(quota, perUnit)} />;
}

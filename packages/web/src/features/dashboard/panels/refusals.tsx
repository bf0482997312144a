import { logType, type UsageSummary } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { Skeleton } from '@mantine/core';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { errorLabel } from '../../../shared/wire-words/error-labels.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/dashboard.module.css';
import { logAddress, useScopeRows } from '../base/log-link.tsx';
import { refusalsQuery, type Scope } from '../base/queries.ts';
import type { Span } from '../base/span.ts';
import { text } from '../base/text.ts';

interface RefusalsProps {
  scope: Scope;
  span: Span;
  /** The number of failures in the span and their kinds, the most frequent first. */
  summary: Pick<UsageSummary, 'errors' | 'error_kinds'>;
}

/** Failures in the span by kind, and the newest ones with links to their rows. Only on sites that log failures. */
export function Refusals({ scope, span, summary }: RefusalsProps) {
  const inScope = useScopeRows(scope);
  const t = useTranslate();
  const wireWords = useWireWords();
  const none = summary.errors === 0;
  const { data, error, refetch } = useQuery({ ...refusalsQuery(inScope, span), enabled: !none });
  return (
    <Panel
      title={t(text.refusals)}
      actions={
        <Link
          to="/log"
          search={logAddress({ ...span, ...inScope, type: logType.error })}
          className={classes.more}
        >
          {t(text.allRefusals)}
        </Link>
      }
    >
      {none || data?.items.length === 0 ? (
        <EmptyState icon={<ShieldCheck size={20} />} title={t(text.noRefusals)} />
      ) : error && !data ? (
        <LoadError error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton height={110} />
      ) : (
        <>
          <ErrorKinds kinds={summary.error_kinds} />
          <ul className={classes.refusals}>
            {data.items.map((row) => (
              <li key={`${row.id}-${row.request_id}`}>
                <Link
                  to="/log"
                  search={{ range: 'all', request: row.request_id }}
                  className={classes.refusal}
                  title={wireWords(row.content)}
                >
                  <Time at={row.created_at} relative />
                  <strong>{row.model_name}</strong>
                  <span className={classes.refusalWords}>{wireWords(row.content)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function ErrorKinds({ kinds }: { kinds: UsageSummary['error_kinds'] }) {
  const t = useTranslate();
  const language = useLanguage();
  if (kinds.length === 0) return null;
  return (
    <ul className={classes.kinds} aria-label={t(text.errorKinds)}>
      {kinds.map(({ status, code, count }) => (
        <li key={`${status} ${code}`}>
          <Tag tone="bad" title={code}>
            {[status || '', errorLabel(code, language), `×${formatNumber(count, language)}`]
              .filter(Boolean)
              .join(' ')}
          </Tag>
        </li>
      ))}
    </ul>
  );
}

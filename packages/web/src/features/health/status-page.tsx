import { channelHealthApi, type ModelState, type SiteHealth } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import { call } from '../../lib/api/api-client.ts';
import { useStatus } from '../../lib/api/status.ts';
import { formatDuration, formatPercent } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { HealthBars } from '../../shared/health-bars/health-bars.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import classes from './status-page.module.css';
import { statusText as text } from './text.ts';

const siteQuery = queryOptions({
  queryKey: ['site-health'],
  queryFn: ({ signal }) => call(channelHealthApi.site, {}, { signal }),
  refetchInterval: 60_000,
});

/** Public health of the site's models, if the operator shows it. */
export function Page() {
  const t = useTranslate();
  const isOn = useStatus()?.status_page === true;
  const { data, error, refetch } = useQuery({ ...siteQuery, enabled: isOn });
  return (
    <div className={classes.page}>
      <PageHead title={t(text.title)} hint={t(isOn ? text.hint : text.off)} />
      {data ? (
        <Models models={data.models} />
      ) : (
        error && <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

const tones: Record<ModelState, DotTone> = { good: 'good', degraded: 'warn', down: 'bad', unknown: 'idle' };

function Models({ models }: Pick<SiteHealth, 'models'>) {
  const t = useTranslate();
  if (models.length === 0) return <EmptyState icon={<Activity size={20} />} title={t(text.empty)} />;
  return (
    <Panel>
      <ul className={classes.models}>
        {models.map((model) => (
          <Model key={model.model} {...model} />
        ))}
      </ul>
    </Panel>
  );
}

function Model({ model, state, success_rate: rate, first_p50: first, series }: SiteHealth['models'][number]) {
  const t = useTranslate();
  const language = useLanguage();
  const facts = [
    rate === null ? '' : t(text.success, { rate: formatPercent(rate, language) }),
    first === null ? '' : t(text.first, { time: formatDuration(first) }),
  ];
  return (
    <li>
      <div className={classes.head}>
        <strong>{model}</strong>
        <Dot tone={tones[state]}>{t(text[state])}</Dot>
      </div>
      <HealthBars rates={series} wide />
      <p className={classes.facts}>{facts.filter(Boolean).join(' · ')}</p>
    </li>
  );
}

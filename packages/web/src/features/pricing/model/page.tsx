import { Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslate, texts } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { FactsTable } from '../facts/facts-table.tsx';
import { GroupPrices } from '../base/group-prices.tsx';
import classes from '../base/page.module.css';
import { Availability } from '../base/price-cells.tsx';
import { priceRows, type PriceRow, type PriceView } from '../base/rows.ts';
import { factsQuery, usePriceView } from '../base/use-prices.ts';
import { Month } from '../month/month.tsx';

const text = texts({
  all: { zh: '全部模型', en: 'All models' },
  copy: { zh: '复制名称', en: 'Copy the name' },
  try: { zh: '在操练场试用', en: 'Try in the playground' },
  facts: { zh: '模型资料', en: 'About the model' },
  prices: { zh: '各分组价格', en: 'Prices by group' },
  call: { zh: '调用示例', en: 'Example call' },
  notServed: { zh: '未提供该模型', en: 'This model is not offered' },
  notServedHint: { zh: '没有启用的渠道提供它。', en: 'No enabled channel offers it.' },
});

const SnippetTabs = lazy(async () => ({
  default: (await import('../../../shared/snippets/snippet-tabs.tsx')).SnippetTabs,
}));

/** One model: its facts, its prices in each group, and sample calls. */
export function Page() {
  const t = useTranslate();
  const { name = '' }: { name?: string } = useParams({ strict: false });
  const { query, view } = usePriceView('');
  const item = query.data?.items.find((each) => each.model_name === name);
  const [row] = item ? priceRows([item], view, { keyword: '', type: 'all' }) : [];
  return (
    <div className={classes.page}>
      <PageHead
        title={name}
        hint={row ? <State row={row} /> : undefined}
        actions={row && <Actions row={row} />}
      />
      <div className={classes.stack}>
        {query.error && <LoadError error={query.error} onRetry={query.refetch} />}
        {query.isPending && <Skeleton height={320} />}
        {query.data && !row && (
          <Panel>
            <EmptyState icon={<SearchX size={20} />} title={t(text.notServed)} hint={t(text.notServedHint)} />
          </Panel>
        )}
        {query.data && <About name={name} />}
        {row && <Prices row={row} view={view} />}
      </div>
    </div>
  );
}

/** Whether it can be called, in words; a refused model has no price words. */
function State({ row }: { row: PriceRow }) {
  return (
    <span className={classes.model}>
      <Availability row={row} words />
    </span>
  );
}

function Actions({ row }: { row: PriceRow }) {
  const t = useTranslate();
  const user = useCurrentUser();
  const { model_name: model } = row.item;
  return (
    <Group gap="xs">
      <Button variant="default" component={Link} to="/pricing">
        {t(text.all)}
      </Button>
      <CopyButton value={model} label={t(text.copy)} />
      {user && row.available && (
        <Button renderRoot={(props) => <Link to="/playground" search={{ model }} {...props} />}>
          {t(text.try)}
        </Button>
      )}
    </Group>
  );
}

function About({ name }: { name: string }) {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(factsQuery(name));
  return (
    <Panel title={t(text.facts)}>
      {error && <LoadError error={error} onRetry={refetch} />}
      {data ? <FactsTable facts={data.facts} source={data.source} /> : !error && <Skeleton height={90} />}
    </Panel>
  );
}

function Prices({ row, view }: { row: PriceRow; view: PriceView }) {
  const t = useTranslate();
  const user = useCurrentUser();
  const { model_name: model } = row.item;
  return (
    <>
      <Panel title={t(text.prices)} className={classes.alone}>
        <GroupPrices row={row} view={view} titled />
      </Panel>
      {user && row.priced && <Month key={model} model={model} />}
      <Panel title={t(text.call)}>
        <Suspense fallback={<Skeleton height={200} />}>
          <SnippetTabs origin={location.origin} apiKey="sk-…" model={model} models={[model]} />
        </Suspense>
      </Panel>
    </>
  );
}

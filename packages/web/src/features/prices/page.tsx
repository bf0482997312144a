import { Tabs } from '@mantine/core';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { BelowCost } from '../../shared/below-cost/below-cost.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Book } from './book/book.tsx';
import classes from './base/prices.module.css';
import { pricesSearch } from './base/search.ts';
import { text } from './base/text.ts';

const Sync = lazy(async () => ({ default: (await import('./sync/sync.tsx')).Sync }));

/** What models cost, for those who run the site; root changes it. */
export function Page() {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const [{ tab }, setSearch] = useUrlState(pricesSearch);
  return (
    <>
      <PageHead title={t(text.title)} hint={t(isRoot ? text.hint : text.readOnly)} />
      {isRoot ? (
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(next) => setSearch({ tab: next === 'sync' ? 'sync' : 'prices' })}
        >
          <Tabs.List mb="md" aria-label={t(text.title)}>
            <Tabs.Tab value="prices">{t(text.prices)}</Tabs.Tab>
            <Tabs.Tab value="sync">{t(text.sync)}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="prices">
            <div className={classes.lead}>
              <BelowCost />
            </div>
            <Book mayEdit />
          </Tabs.Panel>
          <Tabs.Panel value="sync">
            <Sync />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <Book mayEdit={false} />
      )}
    </>
  );
}

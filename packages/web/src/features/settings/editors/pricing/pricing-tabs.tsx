import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../../../lib/i18n.ts';
import { lazy } from '../../../../lib/lazy.ts';
import { LazyInView } from '../../../../shared/lazy/lazy-in-view.tsx';
import { choiceParam } from '../../../../shared/url-state/params.ts';
import { useUrlState } from '../../../../shared/url-state/use-url-state.ts';
import { Notice } from '../../../../ui/notice.tsx';
import type { Draft } from '../../draft/draft.ts';
import classes from '../editors.module.css';
import { text } from './text.ts';
import { useAudioTables, usePriceTables } from './use-price-tables.ts';

/** Tables of a thousand rows with their dialogs are far down on the page; they load when they are nearly visible. */
const VisualPrices = lazy(async () => ({ default: (await import('./visual-prices.tsx')).VisualPrices }));
const UnsetPrices = lazy(async () => ({ default: (await import('./unset-prices.tsx')).UnsetPrices }));

const views = ['visual', 'unset', 'tables'] as const;

/** The URL contains the open view beside the tab of the page. */
const search = { prices: choiceParam(views) };

interface PricingTabsProps {
  draft: Draft;
  /** The tables as JSON fields. */
  children: ReactNode;
}

/** Three views of the same tables: rows, missing prices, and JSON. */
export function PricingTabs({ draft, children }: PricingTabsProps) {
  const t = useTranslate();
  const [{ prices: view }, setSearch] = useUrlState(search);
  const { tables, write } = usePriceTables(draft);
  const audio = useAudioTables(draft);
  return (
    <Tabs
      value={view}
      keepMounted={false}
      onChange={(next) => setSearch({ prices: views.find((each) => each === next) ?? view })}
    >
      <Tabs.List className={classes.tabs} aria-label={t(text.tabs)} mb="md">
        {views.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {t(text[each])}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={view}>
        {view === 'tables' ? (
          children
        ) : tables === undefined ? (
          <Notice tone="warn">{t(text.broken)}</Notice>
        ) : (
          <LazyInView height={480} width="100%">
            {view === 'unset' ? (
              <UnsetPrices tables={tables} write={write} />
            ) : (
              <VisualPrices tables={tables} audio={audio} write={write} />
            )}
          </LazyInView>
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

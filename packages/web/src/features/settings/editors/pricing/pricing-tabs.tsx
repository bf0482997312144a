import { Tabs } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useSay } from '../../../../lib/i18n.ts';
import { Notice } from '../../../../ui/notice.tsx';
import type { Draft } from '../../draft.ts';
import classes from '../editors.module.css';
import { text } from './text.ts';
import { UnsetPrices } from './unset-prices.tsx';
import { useAudioTables, usePriceTables } from './use-price-tables.ts';
import { VisualPrices } from './visual-prices.tsx';

const views = ['visual', 'unset', 'tables'] as const;
type View = (typeof views)[number];

interface PricingTabsProps {
  draft: Draft;
  /** The tables as JSON fields. */
  children: ReactNode;
}

/** The three ways to the same tables: rows, what is missing, and JSON (specification 2, section 2). */
export function PricingTabs({ draft, children }: PricingTabsProps) {
  const say = useSay();
  const [view, setView] = useState<View>('visual');
  const { tables, write } = usePriceTables(draft);
  const audio = useAudioTables(draft);
  return (
    <Tabs
      value={view}
      keepMounted={false}
      onChange={(next) => setView(views.find((each) => each === next) ?? view)}
    >
      <Tabs.List className={classes.tabs} aria-label={say(text.tabs)} mb="md">
        {views.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {say(text[each])}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={view}>
        {view === 'tables' ? (
          children
        ) : tables === undefined ? (
          <Notice tone="warn">{say(text.broken)}</Notice>
        ) : view === 'unset' ? (
          <UnsetPrices tables={tables} write={write} />
        ) : (
          <VisualPrices tables={tables} audio={audio} write={write} />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

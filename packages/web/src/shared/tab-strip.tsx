import { Tabs } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

interface TabStripProps {
  /** Label of the tabs for screen readers. */
  label: string;
  /** The tab that is open, if any. */
  chosen: string | null;
  children: ReactNode;
}

/** On a phone the strip is wider than the screen: it scrolls to the open tab, also if the address opened it. */
export function TabStrip({ label, chosen, children }: TabStripProps) {
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = strip.current;
    const tab = list?.querySelector<HTMLElement>('[aria-selected="true"]');
    // Not `scrollIntoView`: it would move the page too.
    if (list && tab) list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
  }, [chosen]);
  return (
    <Tabs.List ref={strip} aria-label={label}>
      {children}
    </Tabs.List>
  );
}

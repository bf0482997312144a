import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { places, placeTabs } from '../places.ts';
import { useCurrentPage } from './current-page.ts';
import classes from './frame.module.css';

/** The pages of the open sidebar entry; hidden if there is only one. */
export function usePlaceTabs() {
  const page = useCurrentPage();
  const user = useCurrentUser();
  const status = useStatus();
  if (!page?.place || !user) return undefined;
  const tabs = placeTabs(page.place, user, status);
  const open = page.under ?? page.path;
  return tabs.length > 1 && tabs.some(({ path }) => path === open)
    ? { place: page.place, tabs, open }
    : undefined;
}

/** The tabs above a page. On a phone the strip scrolls to the open tab. */
export function PlaceTabs({ place, tabs, open }: NonNullable<ReturnType<typeof usePlaceTabs>>) {
  const t = useTranslate();
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    const list = strip.current;
    const tab = list?.querySelector<HTMLElement>('[aria-current]');
    // Not `scrollIntoView`: it would move the page too.
    if (list && tab) list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
  }, [open]);
  const title = places.find(({ id }) => id === place)?.title;
  return (
    <nav ref={strip} className={classes.tabs} aria-label={title && t(title)}>
      {tabs.map(({ path, title: name }) => (
        <Link
          key={path}
          to={path}
          className={classes.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={path === open ? 'page' : undefined}
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}

import { Tooltip, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { type Status, useStatus } from '../../lib/api/status.ts';
import type { StoredUser } from '../../lib/storage.ts';
import type { NavGroup, PageEntry } from '../page-entry.ts';
import { pages } from '../pages.ts';
import { text } from '../text.ts';
import { ChatNav } from './chat-nav.tsx';
import classes from './sidebar.module.css';
import { unpricedApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

const staleMs = 5 * 60_000;

/** How many models are on offer without a price, so that calls to them are refused; nothing where all have one. */
function UnpricedBadge() {
  const t = useTranslate();
  const { data } = useQuery({
    queryKey: ['unpriced-models'],
    queryFn: ({ signal }) => call(unpricedApi.count, {}, { signal }),
    staleTime: staleMs,
    meta: { quiet: true },
  });
  if (data === undefined || data.count === 0) return null;
  const words = t(text.unpricedModels, { count: data.count });
  return (
    <span className={classes.badge} title={words}>
      {data.count}
      <VisuallyHidden> {words}</VisuallyHidden>
    </span>
  );
}

const groups: readonly NavGroup[] = ['console', 'admin', 'personal'];
const groupTitles = { console: text.groupConsole, admin: text.groupAdmin, personal: text.groupPersonal };

const placeOf = (page: PageEntry, user: StoredUser | null): NavGroup | undefined =>
  mayAccess(user, 'admin') ? page.nav : (page.userNav ?? page.nav);

/** The pages a person finds in a group of the sidebar on this site. */
export const pagesOf = (group: NavGroup, user: StoredUser | null, status: Status | undefined): PageEntry[] =>
  pages.filter(
    (page) =>
      placeOf(page, user) === group &&
      mayAccess(user, page.access) &&
      (!page.when || (status !== undefined && page.when(status))),
  );

interface NavListProps {
  /** Icons only, with the words as tooltips. */
  narrow?: boolean;
  onFollow?: () => void;
}

export function NavList({ narrow = false, onFollow }: NavListProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  const status = useStatus();
  const listed = groups.map((group) => {
    const entries = pagesOf(group, user, status);
    if (entries.length === 0) return null;
    return (
      <Fragment key={group}>
        <div className={classes.group}>{t(groupTitles[group])}</div>
        {entries.map(({ path, title, icon: Icon }) => (
          <Tooltip key={path} label={t(title)} position="right" disabled={!narrow}>
            <Link
              to={path}
              className={classes.item}
              onClick={onFollow}
              aria-label={narrow ? t(title) : undefined}
            >
              {Icon && <Icon size={17} strokeWidth={1.75} aria-hidden="true" />}
              {!narrow && t(title)}
              {!narrow && path === '/prices' && mayAccess(user, 'root') && <UnpricedBadge />}
            </Link>
          </Tooltip>
        ))}
      </Fragment>
    );
  });
  return (
    <>
      {user && <ChatNav chats={status?.chats ?? []} narrow={narrow} onFollow={onFollow} />}
      {listed}
    </>
  );
}

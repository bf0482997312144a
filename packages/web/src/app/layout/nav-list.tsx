import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { listedPlaces, type ListedPlace } from '../places.ts';
import { text } from '../text.ts';
import { ChatNav } from './chat-nav.tsx';
import { useCurrentPage } from './current-page.ts';
import classes from './sidebar.module.css';
import { useQuery } from '@tanstack/react-query';
import { attentionQuery } from '../../shared/attention.ts';

/** Number of offered models without a price, whose calls are refused; hidden if all have one. */
function UnpricedBadge() {
  const t = useTranslate();
  const { data } = useQuery(attentionQuery);
  if (data === undefined || data.unpriced === 0) return null;
  const words = t(text.unpricedModels, { count: data.unpriced });
  return (
    <span className={classes.badge} title={words}>
      {data.unpriced}
      <VisuallyHidden> {words}</VisuallyHidden>
    </span>
  );
}

interface NavListProps {
  /** Only icons, with labels as tooltips. */
  narrow?: boolean;
  onFollow?: () => void;
}

/** The entries of the sidebar: settings at the end, chat applications below the playground. */
export function NavList({ narrow = false, onFollow }: NavListProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  const status = useStatus();
  const here = useCurrentPage()?.place;
  const entryOf = ({ id, title, icon: Icon, path }: ListedPlace) => (
    <Link
      to={path}
      className={classes.item}
      onClick={onFollow}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={here === id ? 'page' : undefined}
      aria-label={narrow ? t(title) : undefined}
      title={narrow ? t(title) : undefined}
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
      {!narrow && t(title)}
      {!narrow && id === 'models' && mayAccess(user, 'root') && <UnpricedBadge />}
    </Link>
  );
  const listed = listedPlaces(user, status);
  const foot = listed.filter((place) => place.foot);
  return (
    <>
      {listed.map(
        (place) =>
          !place.foot && (
            <Fragment key={place.id}>
              {entryOf(place)}
              {place.id === 'playground' && (
                <ChatNav chats={status?.chats ?? []} narrow={narrow} onFollow={onFollow} />
              )}
            </Fragment>
          ),
      )}
      {foot.length > 0 && (
        <div className={classes.settings}>
          {foot.map((place) => (
            <Fragment key={place.id}>{entryOf(place)}</Fragment>
          ))}
        </div>
      )}
    </>
  );
}

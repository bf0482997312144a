import { Divider, Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { pages } from '../pages.ts';
import { text } from '../text.ts';
import { NavList } from './nav-list.tsx';
import classes from './sidebar.module.css';
import { SiteLinks } from './site-links.tsx';

/** The log-in links, for guests. */
function GuestLinks({ onFollow }: { onFollow: () => void }) {
  const t = useTranslate();
  const status = useStatus();
  const paths = ['/login', '/register'];
  return (
    <>
      <Divider my="sm" />
      {pages
        .filter(({ path, when }) => paths.includes(path) && (!when || (status !== undefined && when(status))))
        .map(({ path, title }) => (
          <Link key={path} to={path} className={classes.item} onClick={onFollow}>
            {t(title)}
          </Link>
        ))}
    </>
  );
}

interface NavSheetProps {
  opened: boolean;
  onClose: () => void;
}

/** In a narrow window all links live in one sheet. */
export function NavSheet({ opened, onClose }: NavSheetProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="left"
      size={280}
      title={t(text.menu)}
      closeButtonProps={{ 'aria-label': t(text.menu) }}
    >
      <nav aria-label={t(text.sideNav)} className={classes.sheet}>
        {user ? (
          <NavList onFollow={onClose} />
        ) : (
          <>
            <SiteLinks className={classes.item} onFollow={onClose} />
            <GuestLinks onFollow={onClose} />
          </>
        )}
      </nav>
    </Drawer>
  );
}

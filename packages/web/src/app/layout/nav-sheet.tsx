import { Divider, Drawer } from '@mantine/core';
import { useSay } from '../../lib/i18n.ts';
import { text } from '../text.ts';
import { NavList } from './nav-list.tsx';
import classes from './sidebar.module.css';
import { SiteLinks } from './site-links.tsx';

interface NavSheetProps {
  opened: boolean;
  onClose: () => void;
}

/** On a phone all links live in one sheet. */
export function NavSheet({ opened, onClose }: NavSheetProps) {
  const say = useSay();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="left"
      size={280}
      title={say(text.menu)}
      closeButtonProps={{ 'aria-label': say(text.menu) }}
    >
      <nav aria-label={say(text.sideNav)} style={{ paddingTop: 12 }}>
        <NavList onFollow={onClose} />
        <Divider my="sm" />
        <SiteLinks className={classes.item} onFollow={onClose} />
      </nav>
    </Drawer>
  );
}

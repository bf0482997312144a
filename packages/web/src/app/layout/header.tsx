import { product } from '@tollgate/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { Menu as MenuIcon, PartyPopper, CircleQuestionMark } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { PaletteButton } from '../palette/palette-button.tsx';
import { text, pageTitles } from '../text.ts';
import { Announcement } from './announcement.tsx';
import classes from './header.module.css';
import { LanguageMenu, ThemeMenu } from './preferences.tsx';
import { SiteLinks } from './site-links.tsx';
import { UserMenu } from './user-menu.tsx';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { LazyMenu } from '../../shared/lazy/lazy-menu.tsx';
import { LogoMark } from '../../ui/logo.tsx';
import { Tag } from '../../ui/tag.tsx';

/** Links to pages for reading: the reference, the documentation, the public pages of the site. */
function HelpMenu() {
  const t = useTranslate();
  const docs = useStatus()?.docs_link;
  return (
    <LazyMenu
      button={(props) => (
        <ActionIcon {...props} size={34} aria-label={t(text.help)}>
          <CircleQuestionMark size={17} />
        </ActionIcon>
      )}
    >
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/docs/api">
          {t(pageTitles.reference)}
        </Menu.Item>
        {docs && (
          <Menu.Item component="a" href={docs} target="_blank" rel="noreferrer">
            {t(text.docs)}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/">
          {t(text.siteHome)}
        </Menu.Item>
        <Menu.Item component={Link} to="/about">
          {t(pageTitles.about)}
        </Menu.Item>
      </Menu.Dropdown>
    </LazyMenu>
  );
}

/** On New Year's Day the logo shows an open barrier. */
function isNewYear(): boolean {
  const now = new Date();
  return now.getMonth() === 0 && now.getDate() === 1;
}

/** Logo, name and the mark of a demo or self-use site. */
function Brand() {
  const status = useStatus();
  const t = useTranslate();
  const user = useCurrentUser();
  const [newYear] = useState(isNewYear);
  const name = status?.system_name || product.name;
  return (
    <div className={classes.site}>
      <Link to={user ? '/detail' : '/'} className={classes.brand}>
        {status?.logo ? <img src={status.logo} alt="" /> : <LogoMark size={24} />}
        <span className={classes.name}>{name}</span>
        {newYear && <PartyPopper size={16} color="var(--tg-warn)" aria-hidden="true" />}
      </Link>
      {status?.self_use_mode_enabled && <Tag tone="accent">{t(text.selfUse)}</Tag>}
      {status?.demo_site_enabled && <Tag tone="warn">{t(text.demo)}</Tag>}
    </div>
  );
}

interface HeaderProps {
  /** Opens the sheet that holds all links on a phone. */
  onMenu: () => void;
  /** The frame around the page: the set-up has no links and no user menus. */
  frame: 'console' | 'site' | 'bare';
}

/** The bar at the top. For logged-in users, theme and language are in the account menu. */
export function Header({ onMenu, frame }: HeaderProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  const isBare = frame === 'bare';
  return (
    <header className={classes.header}>
      {!isBare && (
        <ActionIcon className={classes.menu} size={34} aria-label={t(text.menu)} onClick={onMenu}>
          <MenuIcon size={18} />
        </ActionIcon>
      )}
      <Brand />
      {frame === 'site' && (
        <nav className={classes.links} aria-label={t(text.mainNav)}>
          <SiteLinks className={classes.link} />
        </nav>
      )}
      <div className={classes.gap} />
      {!isBare && <PaletteButton />}
      {!isBare && <Announcement as="bell" />}
      {!isBare && user ? (
        <HelpMenu />
      ) : (
        <>
          <ThemeMenu />
          <LanguageMenu />
        </>
      )}
      {!isBare && <UserMenu />}
    </header>
  );
}

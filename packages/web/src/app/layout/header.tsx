import { product } from '@tollgate/contract';
import { ActionIcon } from '@mantine/core';
import { Menu as MenuIcon, PartyPopper } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { PaletteButton } from '../palette/palette-button.tsx';
import { text } from '../text.ts';
import { Announcement } from './announcement.tsx';
import classes from './header.module.css';
import { LanguageMenu, ThemeMenu } from './preferences.tsx';
import { SiteLinks } from './site-links.tsx';
import { UserMenu } from './user-menu.tsx';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { LogoMark } from '../../ui/logo.tsx';
import { Tag } from '../../ui/tag.tsx';

/** On New Year's Day the barrier is open. */
function isNewYear(): boolean {
  const now = new Date();
  return now.getMonth() === 0 && now.getDate() === 1;
}

/** Logo, name and the mark of a site that is not an ordinary one. */
function Brand() {
  const status = useStatus();
  const t = useTranslate();
  const [newYear] = useState(isNewYear);
  const name = status?.system_name || product.name;
  return (
    <div className={classes.site}>
      <Link to="/" className={classes.brand}>
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
  /** Without links and menus of the person: set-up. */
  bare: boolean;
}

export function Header({ onMenu, bare }: HeaderProps) {
  const t = useTranslate();
  return (
    <header className={classes.header}>
      {!bare && (
        <ActionIcon className={classes.menu} size={34} aria-label={t(text.menu)} onClick={onMenu}>
          <MenuIcon size={18} />
        </ActionIcon>
      )}
      <Brand />
      {!bare && (
        <nav className={classes.links} aria-label={t(text.mainNav)}>
          <SiteLinks className={classes.link} />
        </nav>
      )}
      <div className={classes.gap} />
      {!bare && <PaletteButton />}
      {!bare && <Announcement as="bell" />}
      <ThemeMenu />
      <LanguageMenu />
      {!bare && <UserMenu />}
    </header>
  );
}

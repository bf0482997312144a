import { ActionIcon } from '@mantine/core';
import { Menu as MenuIcon } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { PaletteButton } from '../palette/palette-button.tsx';
import { text } from '../text.ts';
import { Announcement } from './announcement.tsx';
import { Brand } from './brand.tsx';
import classes from './header.module.css';
import { LanguageMenu, ThemeMenu } from './preferences.tsx';
import { SiteLinks } from './site-links.tsx';
import { UserMenu } from './user-menu.tsx';

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

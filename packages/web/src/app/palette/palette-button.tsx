import { ActionIcon } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { Suspense, useEffect } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { modifier } from './modifier.ts';
import classes from './palette.module.css';

/** Focuses the first search field of the page and selects its text. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[aria-keyshortcuts="/"]');
  field?.focus();
  field?.select();
}

const text = texts({
  open: { zh: '搜索页面、操作和记录', en: 'Search pages, actions and records' },
  short: { zh: '搜索', en: 'Search' },
});

/**
 * The palette loads when it is likely to be used: on pointing at its button, on focus, or on the first key of its
 * shortcut. Other visitors never fetch it.
 */
const loadPalette = () => import('./palette.tsx');
const fetchAhead = () => void loadPalette().catch(() => undefined);
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }));

/** Keys outside of fields: `/` focuses the search field, `?` lists the keys. */
function useShortcuts(): [shown: boolean, close: () => void] {
  const [shown, { open, close }] = useDisclosure(false);
  useHotkeys([
    ['/', focusSearch],
    ['shift+?', open],
    ['?', open],
  ]);
  return [shown, close];
}

/** Opens the command palette: ⌘K or Ctrl-K anywhere, also while typing; the same keys close it. */
export function PaletteButton() {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery, undefined, { getInitialValueInEffect: false });
  const [opened, { toggle, close }] = useDisclosure(false);
  const [shortcutsShown, closeShortcuts] = useShortcuts();
  useHotkeys([['mod+K', toggle]], [], true);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') fetchAhead();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      {isPhone ? (
        <ActionIcon
          size={34}
          aria-label={t(text.open)}
          onPointerEnter={fetchAhead}
          onFocus={fetchAhead}
          onClick={toggle}
        >
          <Search size={17} />
        </ActionIcon>
      ) : (
        <button
          type="button"
          className={classes.button}
          title={t(text.open)}
          aria-keyshortcuts="Control+K Meta+K"
          onPointerEnter={fetchAhead}
          onFocus={fetchAhead}
          onClick={toggle}
        >
          <Search size={14} aria-hidden="true" />
          <span className={classes.short}>{t(text.short)}</span>
          <kbd aria-hidden="true">{modifier} K</kbd>
        </button>
      )}
      {opened && (
        <Suspense fallback={null}>
          <Palette onClose={close} />
        </Suspense>
      )}
      {shortcutsShown && (
        <Suspense fallback={null}>
          <Shortcuts onClose={closeShortcuts} />
        </Suspense>
      )}
    </>
  );
}

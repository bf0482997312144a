import { ActionIcon } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { texts, useSay } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import classes from './palette.module.css';

const text = texts({
  open: { zh: '搜索页面、操作和记录', en: 'Search pages, actions and records' },
  short: { zh: '搜索', en: 'Search' },
});

/** The palette itself comes once the page is at rest: what is typed right after the keys must not be lost. */
const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

/** Milliseconds after which a page has what it needs itself. */
const restMs = 1500;

/** The name of the key beside K on this machine. */
const modifier = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Opens the command palette: ⌘K or Ctrl-K anywhere, also while typing; the same keys close it. */
export function PaletteButton() {
  const say = useSay();
  const isPhone = useMediaQuery(phoneQuery, undefined, { getInitialValueInEffect: false });
  const [opened, { toggle, close }] = useDisclosure(false);
  useHotkeys([['mod+K', toggle]], [], true);
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), restMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      {isPhone ? (
        <ActionIcon size={34} aria-label={say(text.open)} onClick={toggle}>
          <Search size={17} />
        </ActionIcon>
      ) : (
        <button
          type="button"
          className={classes.button}
          title={say(text.open)}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={toggle}
        >
          <Search size={14} aria-hidden="true" />
          <span className={classes.short}>{say(text.short)}</span>
          <kbd aria-hidden="true">{modifier} K</kbd>
        </button>
      )}
      {opened && (
        <Suspense fallback={null}>
          <Palette onClose={close} />
        </Suspense>
      )}
    </>
  );
}

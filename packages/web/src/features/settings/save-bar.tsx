import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import type { Draft } from './draft/draft.ts';
import classes from './page.module.css';
import { text } from './text.ts';
import { useSave } from './use-save.ts';

const PriceRehearsal = lazy(async () => ({
  default: (await import('../../shared/price-rehearsal/price-rehearsal.tsx')).PriceRehearsal,
}));

/** Stands at the foot of the window while anything is changed; saves only that. ⌘S or Ctrl-S saves as well. */
export function SaveBar({ draft }: { draft: Draft }) {
  const t = useTranslate();
  const { save, isPending } = useSave(draft);
  useHotkeys([['mod+S', save]], [], true);
  const count = draft.changes.length;
  if (count === 0) return null;
  return (
    <div className={classes.saveBar} role="status">
      <strong>{t(text.changes, { count })}</strong>
      <Button variant="default" ms="auto" onClick={() => draft.forget()}>
        {t(text.discard)}
      </Button>
      <Suspense fallback={null}>
        <PriceRehearsal changes={draft.changes} />
      </Suspense>
      <MutationButton loading={isPending} aria-keyshortcuts="Control+S Meta+S" onClick={save}>
        {t(text.save)}
      </MutationButton>
    </div>
  );
}

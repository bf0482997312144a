import { Button } from '@mantine/core';
import type { PriceTables } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import classes from '../base/prices.module.css';
import { useSavePrices } from '../base/queries.ts';
import { Rehearsal } from '../base/rehearsal.tsx';
import { text } from '../base/text.ts';
import type { PriceDraft } from './draft.ts';
import { lazy } from '../../../lib/lazy.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';

const Review = lazy(async () => ({ default: (await import('../base/review.tsx')).Review }));

interface SaveBarProps {
  draft: PriceDraft;
  stored: PriceTables;
  quotaPerUnit: number;
}

/** Stands at the foot of the window while prices are changed; nothing is saved before it was looked at. */
export function SaveBar({ draft, stored, quotaPerUnit }: SaveBarProps) {
  const t = useTranslate();
  const saving = useSavePrices();
  const [open, setOpen] = useState(false);
  const count = draft.changes.length;
  if (count === 0) return null;
  const save = () =>
    saving.mutate(draft.changes, {
      onSuccess: () => {
        setOpen(false);
        draft.discard();
        toast.good(t(text.saved));
      },
    });
  return (
    <div className={classes.saveBar} role="status">
      <strong>{t(text.changes, { count })}</strong>
      <Button variant="default" ms="auto" onClick={draft.undo}>
        {t(text.undo)}
      </Button>
      <Button variant="default" onClick={draft.discard}>
        {t(text.discard)}
      </Button>
      <Rehearsal stored={stored} changes={draft.changes} />
      <Button onClick={() => setOpen(true)}>{t(text.review)}</Button>
      <LazyMount when={open}>
        {open && (
          <Review
            title={t(text.changes, { count })}
            action={t(text.save)}
            changes={draft.changes}
            stored={stored}
            quotaPerUnit={quotaPerUnit}
            isPending={saving.isPending}
            onSave={save}
            onClose={() => setOpen(false)}
          />
        )}
      </LazyMount>
    </div>
  );
}

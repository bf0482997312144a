import { Button } from '@mantine/core';
import type { PriceTables } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import classes from '../base/prices.module.css';
import { useSavePrices } from '../../../shared/prices/save-prices.ts';
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

/** Sticks to the end of the window while there are changes; saving requires a review. */
export function SaveBar({ draft, stored, quotaPerUnit }: SaveBarProps) {
  const t = useTranslate();
  const saving = useSavePrices();
  const [open, setOpen] = useState(false);
  // Models saved just now, whose past charges may need a correction.
  const [saved, setSaved] = useState<readonly string[]>([]);
  const count = draft.changes.length;
  if (count === 0) return saved.length > 0 && <AfterSaving models={saved} onClose={() => setSaved([])} />;
  const save = () =>
    saving.mutate(draft.changes, {
      onSuccess: () => {
        setOpen(false);
        setSaved(draft.changes.map(({ model }) => model));
        draft.discard();
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

/** Maximum number of names in an address; beyond it the past charges of all models are repriced. */
const namesLinked = 50;

/** Prices apply from the next call on; this links to the past charges. */
function AfterSaving({ models, onClose }: { models: readonly string[]; onClose: () => void }) {
  const t = useTranslate();
  const search = { rehearse: models.length > namesLinked ? '*' : models.join(',') };
  return (
    <div className={classes.saveBar} role="status">
      <span>
        <strong>{t(text.saved)}</strong> <span className={classes.quiet}>{t(text.fromNextCall)}</span>
      </span>
      <Button variant="default" ms="auto" onClick={onClose}>
        {t(text.close)}
      </Button>
      <Button renderRoot={(props) => <Link to="/correction" search={search} {...props} />}>
        {t(text.correctPast)}
      </Button>
    </div>
  );
}

import { Modal } from '@mantine/core';
import { type PriceChange, type PriceTables, withPriceChanges } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { ChangeTable } from './change-table.tsx';
import classes from './prices.module.css';
import { text } from './text.ts';

interface ReviewProps {
  title: string;
  /** Label of the save button. */
  action: string;
  changes: readonly PriceChange[];
  /** The tables as they are stored. */
  stored: PriceTables;
  quotaPerUnit: number;
  isPending: boolean;
  onSave: () => void;
  onClose: () => void;
}

/** The review before prices are saved: they apply from the next call on. */
export function Review({ title, action, quotaPerUnit, ...saving }: ReviewProps) {
  const t = useTranslate();
  // Values from when the dialog opened: they are refetched after saving, while the dialog is still open.
  const [{ changes, before, after }] = useState(() => {
    const { changes: wanted, stored } = saving;
    return { changes: wanted, before: stored, after: withPriceChanges(stored, wanted).tables };
  });
  return (
    <Modal
      opened
      onClose={saving.onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      <ChangeTable changes={changes} before={before} after={after} quotaPerUnit={quotaPerUnit} />
      <div className={classes.reviewFoot}>
        <span className={classes.quiet}>{t(text.holdsAtOnce)}</span>
        <MutationButton loading={saving.isPending} onClick={saving.onSave}>
          {action}
        </MutationButton>
      </div>
    </Modal>
  );
}

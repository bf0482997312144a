import { Button, Group, Modal } from '@mantine/core';
import type { PriceTables } from '@tollgate/contract';
import { useState } from 'react';
import { useSay } from '../../../lib/i18n.ts';
import { ChangeButton } from '../../../shared/demo/change-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import classes from '../base/prices.module.css';
import { useSavePrices } from '../base/queries.ts';
import { Rehearsal } from '../base/rehearsal.tsx';
import { text } from '../base/text.ts';
import { ChangeTable } from './change-table.tsx';
import type { PriceDraft } from './draft.ts';

interface SaveBarProps {
  draft: PriceDraft;
  stored: PriceTables;
  quotaPerUnit: number;
}

/** Stands at the foot of the window while prices are changed; nothing is saved before it was looked at. */
export function SaveBar({ draft, stored, quotaPerUnit }: SaveBarProps) {
  const say = useSay();
  const saving = useSavePrices();
  const [open, setOpen] = useState(false);
  const count = draft.changes.length;
  if (count === 0) return null;
  const save = () =>
    saving.mutate(draft.changes, {
      onSuccess: () => {
        setOpen(false);
        draft.discard();
        toast.good(say(text.saved));
      },
    });
  return (
    <div className={classes.saveBar} role="status">
      <strong>{say(text.changes, { count })}</strong>
      <Button variant="default" ms="auto" onClick={draft.undo}>
        {say(text.undo)}
      </Button>
      <Button variant="default" onClick={draft.discard}>
        {say(text.discard)}
      </Button>
      <Rehearsal stored={stored} changes={draft.changes} />
      <Button onClick={() => setOpen(true)}>{say(text.review)}</Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={say(text.changes, { count })}
        size="lg"
        closeButtonProps={{ 'aria-label': say(text.close) }}
      >
        <ChangeTable
          changes={draft.changes}
          before={stored}
          after={draft.tables}
          quotaPerUnit={quotaPerUnit}
        />
        <Group justify="flex-end" mt="md" gap="xs">
          <ChangeButton loading={saving.isPending} onClick={save}>
            {say(text.save)}
          </ChangeButton>
        </Group>
      </Modal>
    </div>
  );
}

import { Button } from '@mantine/core';
import { priceTableKeys } from '@tollgate/contract';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { RehearsalDrawer } from './rehearsal-drawer.tsx';
import { text } from './text.ts';

const priceKeys = new Set<string>([...priceTableKeys, 'GroupRatio', 'GroupGroupRatio', 'QuotaPerUnit']);

interface PriceRehearsalProps {
  /** Unsaved options with their whole new texts; only prices are used. */
  changes: readonly (readonly [key: string, text: string])[];
}

/** Rehearses prices on past usage before they are saved: a button and its drawer. Hidden without a price change. */
export function PriceRehearsal({ changes }: PriceRehearsalProps) {
  const t = useTranslate();
  const [opened, setOpened] = useState(false);
  const draft = useMemo(() => Object.fromEntries(changes.filter(([key]) => priceKeys.has(key))), [changes]);
  if (Object.keys(draft).length === 0) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t(text.action)}
      </Button>
      <RehearsalDrawer opened={opened} draft={draft} onClose={() => setOpened(false)} />
    </>
  );
}

import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './base/text.ts';
import classes from './playground.module.css';

interface PanelSheetProps {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The panel above the conversation, on narrow screens. */
export function PanelSheet({ opened, onClose, children }: PanelSheetProps) {
  const t = useTranslate();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={320}
      title={t(text.panel)}
      closeButtonProps={{ 'aria-label': t(text.closePanel) }}
    >
      <div className={classes.sheet}>{children}</div>
    </Drawer>
  );
}

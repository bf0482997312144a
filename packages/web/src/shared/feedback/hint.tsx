import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { useDismissed } from './use-dismissed.ts';

const text = texts({ hide: { zh: '不再显示', en: 'Do not show again' } });

interface HintProps {
  /** The name under which its dismissal is stored. */
  name: string;
  tone?: 'info' | 'warn';
  /** The suggested action. */
  action?: ReactNode;
  children: ReactNode;
}

/** A hint that can be dismissed for good on this device. */
export function Hint({ name, tone = 'info', action, children }: HintProps) {
  const t = useTranslate();
  const [hidden, hide] = useDismissed(name);
  if (hidden) return null;
  return (
    <Notice
      tone={tone}
      actions={
        <>
          {action}
          <CloseButton size="sm" aria-label={t(text.hide)} onClick={hide} />
        </>
      }
    >
      {children}
    </Notice>
  );
}

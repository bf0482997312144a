import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts, useSay } from '../../lib/i18n.ts';
import { stored } from '../../lib/storage.ts';
import { Notice } from '../../ui/notice.tsx';

const text = texts({ hide: { zh: '不再显示', en: 'Do not show again' } });

interface HintProps {
  /** Under which name it is put away. */
  name: string;
  tone?: 'info' | 'warn';
  children: ReactNode;
}

/** A piece of advice that can be put away for good on this device. */
export function Hint({ name, tone = 'info', children }: HintProps) {
  const say = useSay();
  const hidden = stored.hiddenHints.use().split(',');
  if (hidden.includes(name)) return null;
  return (
    <Notice
      tone={tone}
      actions={
        <CloseButton
          size="sm"
          aria-label={say(text.hide)}
          onClick={() => stored.hiddenHints.set([...hidden.filter(Boolean), name].join(','))}
        />
      }
    >
      {children}
    </Notice>
  );
}

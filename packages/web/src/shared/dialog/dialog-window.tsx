import { Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import type { DialogSpec } from './dialog.ts';

const text = texts({ close: { zh: '关闭', en: 'Close' } });

export function DialogWindow({ title, body, size = 440, onClose }: DialogSpec) {
  const t = useTranslate();
  useFocusBack();
  return (
    <Modal
      opened
      size={size}
      onClose={onClose}
      title={title}
      zIndex={400}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {body}
    </Modal>
  );
}

/** Returns the focus to where it was before. Mantine does so for windows that close, not for those that are removed. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // The focus is lost only once the window is removed; code may have moved it meanwhile.
      setTimeout(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement)
          before.focus({ preventScroll: true });
      });
    },
    [before],
  );
}

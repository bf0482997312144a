import { Modal } from '@mantine/core';
import { texts, useTranslate } from '../../lib/i18n.ts';
import type { DialogSpec } from './dialog.ts';

const text = texts({ close: { zh: '关闭', en: 'Close' } });

export function DialogWindow({ title, body, size = 440, onClose }: DialogSpec) {
  const t = useTranslate();
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

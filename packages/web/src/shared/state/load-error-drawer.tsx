import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { LoadError } from './load-error.tsx';

const text = texts({ close: { zh: '关闭', en: 'Close' } });

interface LoadErrorDrawerProps {
  title: string;
  /** The load error of the record; null closes the drawer. */
  error: Error | null;
  onRetry: () => unknown;
  onClose: () => void;
}

/** Shown instead of a form if the record in the address fails to load: it is missing, or the user has no access. */
export function LoadErrorDrawer({ title, error, onRetry, onClose }: LoadErrorDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  return (
    <Drawer
      opened={error !== null}
      onClose={onClose}
      title={title}
      size={isPhone ? '100%' : 520}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {error && <LoadError error={error} onRetry={onRetry} />}
    </Drawer>
  );
}

import { ActionIcon, Button } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';
import { useCopy } from './use-copy.tsx';

interface CopyButtonProps {
  /** The text to copy, or a function that fetches it. */
  value: string | (() => Promise<string>);
  /** With a label it is a button, without one an icon. */
  label?: string;
  /** Label of the icon for screen readers. */
  what?: string;
  size?: 'xs' | 'sm';
}

export function CopyButton({ value, label, what, size = 'sm' }: CopyButtonProps) {
  const t = useTranslate();
  const { copy, copied, pending } = useCopy();
  const Icon = copied ? Check : Copy;
  const run = () => void copy(value);
  if (label !== undefined) {
    return (
      <Button size={size} variant="default" leftSection={<Icon size={14} />} loading={pending} onClick={run}>
        {copied ? t(text.copied) : label}
      </Button>
    );
  }
  const name = what === undefined ? t(text.copy) : t(text.copyWhat, { what });
  return (
    <ActionIcon
      size={size}
      aria-label={name}
      title={copied ? t(text.copied) : name}
      loading={pending}
      onClick={run}
    >
      <Icon size={14} color={copied ? 'var(--tg-good-dot)' : undefined} />
    </ActionIcon>
  );
}

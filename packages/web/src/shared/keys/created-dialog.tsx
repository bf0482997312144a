import { Group, Modal } from '@mantine/core';
import type { TokenData } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { wholeKey } from './key-form.ts';
import { useText } from './key-text.ts';

interface CreatedDialogProps {
  tokens: readonly TokenData[];
  onClose: () => void;
}

/** The keys of several new tokens, to copy into a table. */
export function CreatedDialog({ tokens, onClose }: CreatedDialogProps) {
  const t = useTranslate();
  const lines = tokens.map((token) => `${token.name}\t${wholeKey(token)}`).join('\n');
  return (
    <Modal
      opened={tokens.length > 0}
      onClose={onClose}
      size="lg"
      title={t(useText.createdMany, { count: tokens.length })}
      closeButtonProps={{ 'aria-label': t(useText.close) }}
    >
      <CodeBlock code={lines} label={t(useText.keyLabel)} />
      <Group justify="flex-end" mt="md">
        <CopyButton value={lines} label={t(useText.copyAll)} />
      </Group>
    </Modal>
  );
}

import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { batchText as text } from '../base/text.ts';

interface TagDialogProps {
  opened: boolean;
  onClose: () => void;
  onTag: (tag: string) => void;
}

/** Asks for the tag of several channels. */
export function TagDialog({ opened, onClose, onTag }: TagDialogProps) {
  const t = useTranslate();
  const [tag, setTag] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(text.tagTitle)}
      closeButtonProps={{ 'aria-label': t(text.cancel) }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() === '') setProblem(t(text.tagRequired));
          else onTag(tag.trim());
        }}
      >
        <TextInput
          label={t(text.tagLabel)}
          value={tag}
          error={problem}
          data-autofocus
          onChange={(event) => {
            setTag(event.currentTarget.value);
            setProblem(null);
          }}
        />
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit">{t(text.confirm)}</Button>
        </Group>
      </form>
    </Modal>
  );
}

import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSay } from '../../../lib/i18n.ts';
import { batchText as text } from '../base/text.ts';

interface TagDialogProps {
  opened: boolean;
  onClose: () => void;
  onTag: (tag: string) => void;
}

/** Asks for the tag of several channels. */
export function TagDialog({ opened, onClose, onTag }: TagDialogProps) {
  const say = useSay();
  const [tag, setTag] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say(text.tagTitle)}
      closeButtonProps={{ 'aria-label': say(text.cancel) }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() === '') setProblem(say(text.tagRequired));
          else onTag(tag.trim());
        }}
      >
        <TextInput
          label={say(text.tagLabel)}
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
            {say(text.cancel)}
          </Button>
          <Button type="submit">{say(text.confirm)}</Button>
        </Group>
      </form>
    </Modal>
  );
}

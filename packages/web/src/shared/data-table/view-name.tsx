import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';

interface ViewNameProps {
  opened: boolean;
  onClose: () => void;
  onSave: (name: string) => void;
}

/** Asks for the name of a view. */
export function ViewName({ opened, onClose, onSave }: ViewNameProps) {
  const t = useTranslate();
  const [name, setName] = useState('');
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={t(text.saveView)}>
      <form onSubmit={save}>
        <TextInput
          label={t(text.viewName)}
          description={t(text.viewHint)}
          maxLength={40}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button type="submit" disabled={name.trim() === ''}>
            {t(text.save)}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

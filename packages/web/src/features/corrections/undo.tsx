import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { reratingApi } from '@tollgate/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { openDialog } from '../../shared/dialog/dialog.ts';
import { Notice } from '../../ui/notice.tsx';
import { correctionsKey } from './queries.ts';
import { text } from './text.ts';

/** Undoes a finished correction: asks for a reason, and explains the effect. */
export function UndoButton({ id }: { id: number }) {
  const t = useTranslate();
  const ask = () => {
    const close = openDialog({
      title: t(text.undoTitle),
      body: <UndoForm id={id} onClose={() => close()} />,
    });
  };
  return (
    <MutationButton variant="default" onClick={ask}>
      {t(text.undo)}
    </MutationButton>
  );
}

function UndoForm({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useTranslate();
  const language = useLanguage();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const undo = useMutation({
    mutationFn: () => call(reratingApi.revert, { rerating: id, reason: reason.trim() }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: correctionsKey }),
    meta: { quiet: true },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setMissing(reason.trim() === '');
    if (reason.trim() !== '') undo.mutate();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(text.undoBody)}
        </Text>
        <TextInput
          label={t(text.reason)}
          description={t(text.undoHint)}
          required
          data-autofocus
          maxLength={255}
          value={reason}
          error={missing && reason.trim() === '' ? t(text.required) : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {undo.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(undo.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit" color="red.8" loading={undo.isPending}>
            {t(text.undoAction)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

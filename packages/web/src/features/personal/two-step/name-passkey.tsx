import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { passkeyErrorMessage } from '../../../shared/passkey.ts';
import { Notice } from '../../../ui/notice.tsx';
import { text } from './text.ts';

interface NamePasskeyProps {
  /** The initial name. */
  name: string;
  /** Button label. */
  action: string;
  /** Runs the action with the name; its error is shown below the field. */
  run: (name: string) => Promise<void>;
  onClose: () => void;
}

const maxNameLength = 64;

/** Asks for the name of a passkey. */
export function NamePasskey({ name, action, run, onClose }: NamePasskeyProps) {
  const t = useTranslate();
  const address = useStatus()?.server_address ?? '';
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const form = useForm({
    initialValues: { name },
    validate: { name: (value) => (value.trim() === '' ? t(text.nameRequired) : null) },
  });
  const submit = form.onSubmit(async (values) => {
    setProblem(null);
    setPending(true);
    try {
      await run(values.name.trim());
      onClose();
    } catch (error) {
      setProblem(passkeyErrorMessage(error, t, address));
      setPending(false);
    }
  });
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t(text.name)}
          description={t(text.nameHint)}
          maxLength={maxNameLength}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        {problem !== null && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

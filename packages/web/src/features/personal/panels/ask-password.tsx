import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { wordsOf } from '../../../lib/api/api-error.ts';
import { useLanguage, useSay } from '../../../lib/i18n.ts';
import { PasswordField } from '../../../ui/password-field.tsx';
import { text } from '../base/text.ts';

interface AskPasswordProps {
  /** What will happen. */
  body: ReactNode;
  /** The verb on the button. */
  action: string;
  danger?: boolean;
  /** Must be typed as well before the button wakes, and what asks for it. */
  typed?: { value: string; label: string };
  /** Does it with the password; what it throws stands below the field. */
  run: (password: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the current password before something that a stolen session must not be able to do. */
export function AskPassword({ body, action, danger = false, typed, run, onClose }: AskPasswordProps) {
  const say = useSay();
  const language = useLanguage();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const isReady = password !== '' && (typed === undefined || name.trim() === typed.value);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReady || isPending) return;
    setProblem(null);
    setPending(true);
    try {
      await run(password);
      onClose();
    } catch (error) {
      setProblem(wordsOf(error, language));
      setPending(false);
    }
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" c="dimmed" component="div">
          {body}
        </Text>
        {typed && (
          <TextInput
            data-autofocus
            label={typed.label}
            value={name}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <PasswordField
          label={say(text.confirmPassword)}
          data-autofocus={typed === undefined || undefined}
          autoComplete="current-password"
          value={password}
          error={problem}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {say(text.cancel)}
          </Button>
          <Button type="submit" color={danger ? 'red.8' : 'iris'} disabled={!isReady} loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useDemo } from '../../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { text } from '../base/text.ts';

interface AskPasswordProps {
  /** Effect of the action. */
  body: ReactNode;
  /** Button label. */
  action: string;
  danger?: boolean;
  /** Text to type before the button is enabled, and its label. */
  typed?: { value: string; label: string };
  /** False while a field of `body` is missing. */
  isComplete?: boolean;
  /** False for accounts of another site without a password: a recent sign-in replaces it. */
  hasPassword: boolean;
  /** Runs the action with the password, '' without one; its error is shown below the field. */
  run: (password: string) => Promise<unknown>;
  onClose: () => void;
}

/** The state of the dialog and its action; an error becomes a message. */
function useAsk({ typed, isComplete = true, hasPassword, run, onClose }: AskPasswordProps) {
  const language = useLanguage();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const isDemo = useDemo();
  const isReady =
    !isDemo &&
    isComplete &&
    (password !== '' || !hasPassword) &&
    (typed === undefined || name.trim() === typed.value);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReady || isPending) return;
    setProblem(null);
    setPending(true);
    try {
      await run(password);
      onClose();
    } catch (error) {
      setProblem(errorMessage(error, language));
      setPending(false);
    }
  };
  return { isDemo, name, setName, password, setPassword, problem, isPending, isReady, submit };
}

/** Asks for the current password before actions that a stolen session must not permit. */
export function AskPassword(props: AskPasswordProps) {
  const { body, action, danger = false, typed, hasPassword, onClose } = props;
  const t = useTranslate();
  const { isDemo, name, setName, password, setPassword, problem, isPending, isReady, submit } = useAsk(props);
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
        {hasPassword ? (
          <PasswordField
            label={t(text.confirmPassword)}
            data-autofocus={typed === undefined || undefined}
            autoComplete="current-password"
            value={password}
            error={problem}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : (
          problem !== null && (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )
        )}
        {isDemo && <Notice>{t(text.demo)}</Notice>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit" color={danger ? 'red.8' : 'iris'} disabled={!isReady} loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
